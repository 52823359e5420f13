"""Small servers on loopback that speak the protocols of the services that Engram talks to."""

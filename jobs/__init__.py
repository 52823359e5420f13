"""What runs on a timetable: each job is a value."""

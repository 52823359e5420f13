// One more memory: written after the backup, so that the two databases can be told apart.
CREATE (:Memory:Semantic {id: 'later', space: 'space-0', content: 'Written after the backup.'})

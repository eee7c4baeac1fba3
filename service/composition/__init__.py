"""Makes the parts of an instance in the order in which they need one another. What would go round
in a circle is announced (`service.application.announcer`)."""

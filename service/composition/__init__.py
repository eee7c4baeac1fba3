"""Makes the parts of an instance, a feature at a time, in the order in which they need one another.
What would go round in a circle is announced (`service.application.announcer`)."""

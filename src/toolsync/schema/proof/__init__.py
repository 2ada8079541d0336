"""Whether one schema takes all that another does: proved, refuted by a witness, or open."""

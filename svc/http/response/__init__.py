"""Parts of answers that more than one door sends."""

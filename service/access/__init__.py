"""Who asks, with which key or ticket, from where, and how often he may."""

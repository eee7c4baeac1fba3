"""Simulation of the write side: several instances of the service on one store, in one thread, with
seeded time, network and faults. One seed always gives the same history, byte for byte."""

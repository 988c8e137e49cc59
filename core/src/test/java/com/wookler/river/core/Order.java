package com.wookler.river.core;

// doc: order
/** An order, as the queue carries it. */
public record Order(String customer, long cents) {}
// doc end

package com.wookler.river.examples.demo;

/**
 * What publishers and consumers share.
 *
 * @param events the input
 * @param published which sequence each event got
 * @param handle the queue, which is opened again in between
 */
record Stage(Events events, Published published, QueueHandle handle) {}

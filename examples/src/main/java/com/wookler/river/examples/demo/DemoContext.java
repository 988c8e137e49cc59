package com.wookler.river.examples.demo;

/**
 * The objects that publishers and consumers share.
 *
 * @param events the input
 * @param published sequences of the published events
 * @param handle the queue, which is restarted
 */
record DemoContext(Events events, PublishedSequences published, RestartableQueue handle) {}

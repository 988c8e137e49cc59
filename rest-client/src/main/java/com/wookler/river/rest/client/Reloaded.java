package com.wookler.river.rest.client;

import java.util.List;

/**
 * What a server has done with its file, a sentence each that names queue and subscriber.
 *
 * @param changed options that have other values now, with both
 * @param added queues and subscribers that were opened, because they are new in the file
 * @param needsReopening options that take effect when their queue or subscriber is opened again
 * @param missing queues and subscribers that the file no longer has; they stay open
 */
public record Reloaded(
    List<String> changed, List<String> added, List<String> needsReopening, List<String> missing) {}

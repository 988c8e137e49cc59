package com.wookler.river.core.log.files;

import java.nio.file.Path;
import java.util.UUID;

/**
 * The directory of a log and whose it is.
 *
 * @param queue name of the queue, for error texts
 * @param identity of the queue, part of every checksum
 * @param path of the directory
 */
public record LogDirectory(String queue, UUID identity, Path path) {}

package com.wookler.river.examples;

import com.wookler.river.examples.utils.EventFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The options of an example on the command line.
 *
 * @param config the configuration file
 * @param input the file with the messages
 * @param count total number of messages, cycling through the input
 * @param producers number of publishing threads
 * @param consumers number of consuming threads
 * @param output a directory to which each consumer writes its messages; null to write nothing
 */
public record ExampleOptions(
    Path config,
    EventFile input,
    long count,
    int producers,
    int consumers,
    @Nullable Path output) {}

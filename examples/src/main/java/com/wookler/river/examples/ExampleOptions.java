package com.wookler.river.examples;

import com.wookler.river.examples.utils.EventFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks of an example.
 *
 * @param config the configuration file
 * @param input where the messages come from
 * @param count how many messages in all, cycling through the input
 * @param producers how many threads publish
 * @param consumers how many threads consume
 * @param output a directory to which each consumer writes what it got; null to write nothing
 */
public record ExampleOptions(
    Path config,
    EventFile input,
    long count,
    int producers,
    int consumers,
    @Nullable Path output) {}

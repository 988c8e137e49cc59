package com.wookler.river.examples;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.processors.FileProcessor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages to files in a directory, one per line, and passes them on. The parameter {@code
 * directory.output} is the directory.
 */
public final class SampleProcessor implements BatchProcessor<String>, Configurable, AutoCloseable {
  private static final String DIRECTORY = "directory.output";
  private static final long FILE_BYTES = 64 << 20;

  private @Nullable FileProcessor<String> files; // set once, before the first message

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(List.of(DIRECTORY));
    files =
        new FileProcessor<>(
            Path.of(node.requireParam(DIRECTORY)),
            node.requireAttribute("name"),
            FILE_BYTES,
            delivery -> (delivery.data() + "\n").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public List<ProcessResult<String>> process(List<Delivery<String>> batch) throws IOException {
    if (files == null) {
      throw new ConfigurationException("a sample processor needs the parameter " + DIRECTORY);
    }
    return files.process(batch);
  }

  @Override
  public void close() throws IOException {
    if (files != null) {
      files.close();
    }
  }
}

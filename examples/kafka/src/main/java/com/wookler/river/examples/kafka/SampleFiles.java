package com.wookler.river.examples.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of the sample. They say where the queue is; the code of publisher and processor does
 * not know.
 */
final class SampleFiles {
  private static final String QUEUE = KafkaSample.TOPIC;

  private SampleFiles() {}

  /** Writes that of the publisher: a local queue that is forwarded, or Kafka alone. */
  static Path ofPublisher(Path directory, String servers, boolean kafka) throws IOException {
    String queue =
        kafka
            ? """
              <queue name="%s" engine="kafka">
                <params>
                  <param name="queue.message.converter" value="utf8"/>
                  <param name="kafka.bootstrap.servers" value="%s"/>
                </params>
              </queue>
              """
                .formatted(QUEUE, servers)
            : """
              <queue name="%s">
                <params>
                  <param name="queue.message.converter" value="utf8"/>
                  <param name="queue.directory" value="%s"/>
                </params>
              </queue>
              <kafka-forward queue="%s">
                <params>
                  <param name="forward.pause" value="500ms"/>
                  <param name="kafka.bootstrap.servers" value="%s"/>
                </params>
              </kafka-forward>
              """
                .formatted(QUEUE, directory.resolve("queues"), QUEUE, servers);
    return write(directory.resolve("publisher.xml"), queue);
  }

  /** Writes that of a process that shares the work, and notes in a file what it has processed. */
  static Path ofWork(Path file, String servers, Path processed) throws IOException {
    return write(
        file,
        """
        <queue name="%s" engine="kafka">
          <params>
            <param name="queue.message.converter" value="utf8"/>
            <param name="kafka.bootstrap.servers" value="%s"/>
          </params>
          <subscribers>
            <subscriber name="billing">
              <params>
                <param name="engine.consumers" value="SHARE"/>
                <param name="kafka.share.record.lock.duration.ms" value="15000"/>
              </params>
              <executor>
                <params><param name="executor.batch.size" value="%d"/></params>
              </executor>
              <processor name="billing" class="%s">
                <params><param name="file" value="%s"/></params>
              </processor>
            </subscriber>
          </subscribers>
        </queue>
        """
            .formatted(QUEUE, servers, SharedWork.BATCH, SharedWork.class.getName(), processed));
  }

  private static Path write(Path file, String queues) throws IOException {
    return Files.writeString(file, "<river>\n" + queues + "</river>\n");
  }
}

package com.wookler.river.core.subscriber;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.CheckedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Under which identity other queues know what continues the messages of one subscriber, as the file
 * {@code continues.json} in its directory keeps it:
 *
 * <pre>
 *  {"format":1,"queue":"…","origin":"…","check":"…"}
 * </pre>
 *
 * <p>It is made with the first continuation, and anew when the subscriber moves: what is delivered
 * again because of that is continued again. Thread-safe.
 */
public final class ContinuationOrigin {
  /** The name of the file. */
  public static final String FILE = "continues.json";

  private static final int FORMAT = 1;
  private static final Logger LOG = LoggerFactory.getLogger(ContinuationOrigin.class);

  private final Path file;
  private final UUID queue;

  @GuardedBy("this")
  private @Nullable UUID known;

  /** Keeps that of a subscriber in its directory; nothing is read yet. */
  public ContinuationOrigin(Path directory, UUID queue) {
    this.file = directory.resolve(FILE);
    this.queue = queue;
  }

  /** Returns the identity, which is on the device. */
  synchronized UUID get() {
    UUID origin = known;
    if (origin == null) {
      origin = Files.exists(file) ? read() : make();
      known = origin;
    }
    return origin;
  }

  /** Has what is delivered from now on be continued though it was before. */
  synchronized void moved() {
    if (known != null || Files.exists(file)) {
      known = make();
    }
  }

  @GuardedBy("this")
  private UUID read() {
    try {
      return read(file, queue);
    } catch (DamagedException e) {
      LOG.warn(
          "{}; made anew: what was continued, and not acknowledged, is so again", e.toString());
    } catch (IOException e) {
      throw new RiverException("cannot read " + file, e);
    }
    return make();
  }

  /**
   * Reads the file of a subscriber of a queue.
   *
   * @throws DamagedException it is not what was written, or another queue's
   */
  public static UUID read(Path file, UUID queue) throws IOException {
    ObjectNode json = CheckedJson.read(file, FORMAT);
    if (!json.path("queue").asText().equals(queue.toString())) {
      throw new DamagedException("damaged: " + file + " is that of another queue");
    }
    try {
      return UUID.fromString(json.path("origin").asText());
    } catch (IllegalArgumentException e) {
      throw new DamagedException("damaged: " + file + " names no origin", e);
    }
  }

  @GuardedBy("this")
  private UUID make() {
    UUID made = UUID.randomUUID();
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("queue", queue.toString()).put("origin", made.toString());
    try {
      CheckedJson.write(file, json);
    } catch (IOException e) {
      throw new RiverException("cannot write " + file, e);
    }
    return made;
  }
}

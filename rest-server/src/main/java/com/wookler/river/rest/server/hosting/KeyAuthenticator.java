package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.RiverException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates callers by the API keys in a file, and reloads the file when it changes.
 * Thread-safe.
 */
public final class KeyAuthenticator implements Authenticator {
  private static final Logger LOG = LoggerFactory.getLogger(KeyAuthenticator.class);
  private static final Pattern KEY = Pattern.compile("river_([0-9a-f]{12})_([A-Za-z0-9_-]{43})");

  private final KeyFile file;
  private final FileWatcher watcher;

  /** Volatile: replaced as a whole when the file is read. */
  private volatile Map<String, Caller> byId;

  /** The rights of a key, as the file has them at the time of the call. */
  private final class Caller implements Access {
    private final KeyFile.Key key;

    Caller(KeyFile.Key key) {
      this.key = key;
    }

    @Override
    public boolean allows(Right right, String queue) {
      KeyFile.Key now = now();
      return now != null && allows(now, right, queue);
    }

    @Override
    public @Nullable RequestException denial(Right right, String queue) {
      KeyFile.Key now = now();
      if (now == null) {
        return unknown();
      }
      return allows(now, right, queue)
          ? null
          : RequestException.of(
              RequestException.Reason.FORBIDDEN,
              "the key does not have the right to " + right.verb() + " on queue " + queue);
    }

    /** Returns the current key; null if it was revoked, or replaced by another with the same id. */
    private KeyFile.@Nullable Key now() {
      Caller now = byId.get(key.id());
      return now != null && now.key.hash().equals(key.hash()) ? now.key : null;
    }

    private static boolean allows(KeyFile.Key key, Right right, String queue) {
      return switch (right) {
        case NONE -> true;
        case PUBLISH -> isIn(key.publish(), queue) || isIn(key.admin(), queue);
        case CONSUME -> isIn(key.consume(), queue) || isIn(key.admin(), queue);
        case METRICS -> isIn(key.metrics(), queue) || allows(key, Right.CONSUME, queue);
        case ADMIN -> isIn(key.admin(), queue);
      };
    }

    @Override
    public List<String> queues(Right right) {
      KeyFile.Key now = now();
      return now == null
          ? List.of()
          : switch (right) {
            case NONE -> List.of("*");
            case PUBLISH -> together(now.publish(), now.admin());
            case CONSUME -> together(now.consume(), now.admin());
            case METRICS -> together(now.metrics(), together(now.consume(), now.admin()));
            case ADMIN -> now.admin();
          };
    }

    private static List<String> together(List<String> some, List<String> others) {
      return Stream.concat(some.stream(), others.stream()).distinct().toList();
    }

    private static boolean isIn(List<String> patterns, String queue) {
      for (String pattern : patterns) {
        if (pattern.endsWith("*")
            ? queue.startsWith(pattern.substring(0, pattern.length() - 1))
            : queue.equals(pattern)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public String name() {
      return key.name();
    }
  }

  /**
   * Creates an authenticator and reads the file.
   *
   * @throws RiverException the file cannot be read
   */
  public KeyAuthenticator(KeyFile file) {
    this.file = file;
    this.watcher = new FileWatcher(List.of(file.path()));
    this.byId = read();
  }

  private Map<String, Caller> read() {
    Map<String, Caller> all = new HashMap<>();
    file.keys().forEach(key -> all.put(key.id(), new Caller(key)));
    return all;
  }

  /**
   * Reads the file if it has changed, and returns whether the keys have changed. If the file cannot
   * be read, the keys stay unchanged.
   */
  public boolean refresh() {
    if (!watcher.hasChanged()) {
      return false;
    }
    try {
      byId = read();
      LOG.info("Read {} API keys", byId.size());
      return true;
    } catch (RiverException e) {
      LOG.error("Cannot read the API keys; the previous ones stay in use", e);
      return false;
    }
  }

  private static RequestException unknown() {
    return RequestException.of(RequestException.Reason.UNAUTHORIZED, "the key is unknown");
  }

  @Override
  public boolean requiresKey() {
    return true;
  }

  @Override
  public Access authenticate(@Nullable String key) {
    Matcher matcher = KEY.matcher(key == null ? "" : key);
    Caller caller = matcher.matches() ? byId.get(matcher.group(1)) : null;
    if (caller == null || !caller.key.isSecret(matcher.group(2))) {
      throw unknown();
    }
    return caller;
  }
}

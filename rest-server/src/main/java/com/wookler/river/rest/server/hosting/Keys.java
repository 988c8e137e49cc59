package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.RiverException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Knows callers by the API keys in a file, and follows its changes while it works. Thread-safe. */
public final class Keys implements Callers {
  private static final Logger LOG = LoggerFactory.getLogger(Keys.class);
  private static final Pattern KEY = Pattern.compile("river_([0-9a-f]{12})_([A-Za-z0-9_-]{43})");

  private final KeyFile file;
  private final Changes changes;

  /** Volatile: replaced as a whole by whoever reads the file. */
  private volatile Map<String, Caller> byId;

  /** What a key may do, by what the file says when it is asked. */
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
    public @Nullable RequestException refusal(Right right, String queue) {
      KeyFile.Key now = now();
      if (now == null) {
        return unknown();
      }
      return allows(now, right, queue)
          ? null
          : RequestException.of(
              RequestException.Reason.FORBIDDEN,
              "the key may not " + right.verb() + " on queue " + queue);
    }

    /** Null if it was revoked, or replaced by another of the same id. */
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
   * Reads the file.
   *
   * @throws RiverException it cannot be read
   */
  public Keys(KeyFile file) {
    this.file = file;
    this.changes = new Changes(List.of(file.path()));
    this.byId = read();
  }

  private Map<String, Caller> read() {
    Map<String, Caller> all = new HashMap<>();
    file.keys().forEach(key -> all.put(key.id(), new Caller(key)));
    return all;
  }

  /**
   * Takes up what has changed, and returns whether anything has; a file that cannot be read changes
   * nothing.
   */
  public boolean refresh() {
    if (!changes.seen()) {
      return false;
    }
    try {
      byId = read();
      LOG.info("There are {} API keys now", byId.size());
      return true;
    } catch (RiverException e) {
      LOG.error("The API keys stay as they were", e);
      return false;
    }
  }

  private static RequestException unknown() {
    return RequestException.of(RequestException.Reason.UNAUTHORIZED, "the key is not known here");
  }

  @Override
  public boolean needKeys() {
    return true;
  }

  @Override
  public Access access(@Nullable String key) {
    Matcher matcher = KEY.matcher(key == null ? "" : key);
    Caller caller = matcher.matches() ? byId.get(matcher.group(1)) : null;
    if (caller == null || !caller.key.isSecret(matcher.group(2))) {
      throw unknown();
    }
    return caller;
  }
}

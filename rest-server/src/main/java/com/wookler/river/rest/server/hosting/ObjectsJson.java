package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Position;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values of options that the contract has as objects. */
public final class ObjectsJson {
  private static final double FACTOR = 2;
  private static final double JITTER = 0.2;
  private static final int MOST_STEPS = 100;

  private ObjectsJson() {}

  /** How long a message waits; exactly one of the three is there. */
  record BackoffJson(
      @Nullable String fixed, @Nullable List<String> list, @Nullable Exponential exponential) {
    Backoff toBackoff() {
      if ((fixed != null ? 1 : 0) + (list != null ? 1 : 0) + (exponential != null ? 1 : 0) != 1) {
        throw RequestException.field(
            "backoff", "is not exactly one of fixed, list and exponential");
      }
      return RequestException.checked("backoff", this::made);
    }

    private Backoff made() {
      if (fixed != null) {
        return Backoff.fixed(Text.duration("backoff.fixed", fixed));
      }
      if (list != null) {
        if (list.isEmpty() || list.size() > MOST_STEPS) {
          throw RequestException.field("backoff.list", "1 to " + MOST_STEPS + " are needed");
        }
        List<Duration> delays = new ArrayList<>();
        for (String delay : list) {
          delays.add(Text.duration("backoff.list", Json.required("backoff.list", delay)));
        }
        return Backoff.list(delays);
      }
      return Objects.requireNonNull(exponential).toBackoff();
    }

    /** As the contract shows it; null where there is none. */
    static @Nullable BackoffJson of(Backoff backoff) {
      if (backoff instanceof Backoff.Exponential grown) {
        return new BackoffJson(
            null,
            null,
            new Exponential(
                Text.of(grown.first()), Text.of(grown.longest()), grown.factor(), grown.jitter()));
      }
      List<Duration> delays = ((Backoff.Steps) backoff).delays();
      return switch (delays.size()) {
        case 0 -> null;
        case 1 -> new BackoffJson(Text.of(delays.get(0)), null, null);
        default -> new BackoffJson(null, delays.stream().map(Text::of).toList(), null);
      };
    }
  }

  /** Waits that grow. */
  record Exponential(
      String first, String longest, @Nullable Double factor, @Nullable Double jitter) {
    Exponential {
      first = Json.required("first", first);
      longest = Json.required("longest", longest);
    }

    Backoff toBackoff() {
      return Backoff.exponential(
          Text.duration("backoff.exponential.first", first),
          Text.duration("backoff.exponential.longest", longest),
          factor == null ? FACTOR : factor,
          jitter == null ? JITTER : jitter);
    }
  }

  /** Where to start, or to go. */
  public record PositionJson(@Nullable String to, @Nullable Long sequence, @Nullable String time) {
    public Position toPosition(String field) {
      if ((to != null ? 1 : 0) + (sequence != null ? 1 : 0) + (time != null ? 1 : 0) != 1) {
        throw RequestException.field(field, "is not exactly one of to, sequence and time");
      }
      if (sequence != null) {
        if (sequence < 0) {
          throw RequestException.field(field + ".sequence", "is negative");
        }
        return Position.sequence(sequence);
      }
      if (time != null) {
        try {
          return Position.time(Instant.parse(time));
        } catch (DateTimeException e) {
          throw RequestException.field(field + ".time", "is no time such as 2026-11-20T10:00:00Z");
        }
      }
      return switch (String.valueOf(to)) {
        case "EARLIEST" -> Position.earliest();
        case "LATEST" -> Position.latest();
        default -> throw RequestException.field(field + ".to", "is neither EARLIEST nor LATEST");
      };
    }
  }
}

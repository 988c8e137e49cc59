package com.wookler.river.rest.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among media types by the header {@code ContentNegotiation} (RFC 9110, 12.5.1): the one of
 * the highest quality, which is that of the most specific range that matches it.
 */
final class ContentNegotiation {
  private final List<Range> ranges = new ArrayList<>();

  /** A media type, {@code type/*}, or {@code *}{@code /*}, and its quality. */
  private record Range(String type, double quality) {
    /** Returns how specifically the range matches a media type; 0 if it does not match. */
    int matches(String media) {
      if (type.equals(media)) {
        return 3;
      }
      if (type.endsWith("/*") && media.startsWith(type.substring(0, type.length() - 1))) {
        return 2;
      }
      return type.equals("*/*") ? 1 : 0;
    }
  }

  private ContentNegotiation(String header) {
    for (String part : header.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parameters = part.split(";", -1);
      String type = parameters[0].trim();
      if (!type.isEmpty()) {
        ranges.add(new Range(type, quality(parameters)));
      }
    }
  }

  private static double quality(String[] parameters) {
    for (int i = 1; i < parameters.length; i++) {
      String parameter = parameters[i].trim();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2).trim());
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }

  /**
   * Returns the media type to send.
   *
   * @throws Problem none is acceptable
   */
  static String ofOffered(ApiRequest call, List<String> offered) {
    String type = choose(call.request().headers().getAll("Accept"), offered);
    if (type == null) {
      throw Problem.of(
          Problem.Kind.NOT_ACCEPTABLE, "there is " + String.join(" and ", offered) + " only");
    }
    return type;
  }

  /**
   * Returns the media type to send, or null if none is acceptable.
   *
   * @param headers the values of all lines of the header; without one everything is acceptable
   * @param offered media types without parameters, in lower case; the first one of equal quality is
   *     chosen
   */
  static @Nullable String choose(List<String> headers, List<String> offered) {
    ContentNegotiation accept = new ContentNegotiation(String.join(",", headers));
    if (accept.ranges.isEmpty()) {
      return offered.get(0);
    }
    String best = null;
    double most = 0;
    for (String media : offered) {
      double quality = accept.quality(media);
      if (quality > most) {
        most = quality;
        best = media;
      }
    }
    return best;
  }

  private double quality(String media) {
    int closest = 0;
    double quality = 0;
    for (Range range : ranges) {
      int match = range.matches(media);
      if (match > closest) {
        closest = match;
        quality = range.quality;
      }
    }
    return quality;
  }
}

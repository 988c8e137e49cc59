package com.wookler.river.rest.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentNegotiationTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|a/lines",
        "*/*|a/lines",
        "a/*|a/lines",
        "text/events|text/events",
        "TEXT/Events|text/events",
        "text/*|text/events",
        "a/lines;q=0.5, text/events|text/events",
        "a/lines, text/events;q=0.5|a/lines",
        "a/lines;q=0, */*|text/events",
        "*/*;q=0.1, a/lines; q=0.2|a/lines",
        "*/*;q=0.3, a/lines;q=0.2|text/events",
        "text/*;q=1, text/events;q=0|NONE",
        "a/lines;q=0|NONE",
        "a/lines;q=x|NONE",
        "image/png|NONE",
        "a/lines2|NONE"
      })
  void shouldChooseTheMostWelcomeType(String header, String chosen) {
    String found = ContentNegotiation.choose(List.of(header), List.of("a/lines", "text/events"));
    assertThat(found).isEqualTo(chosen.equals("NONE") ? null : chosen);
  }
}

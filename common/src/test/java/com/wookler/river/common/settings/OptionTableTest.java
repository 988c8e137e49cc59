package com.wookler.river.common.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What follows from a row, on a table of three options. */
class OptionTableTest {
  private static final OptionTable TABLE = new OptionTable("pump");
  private static final Option<Boolean> ON = TABLE.flag("pump.on", false);
  private static final Option<Duration> PAUSE =
      TABLE.duration("pump.pause").dflt("5ss").between("1ms", "2hh").needs(ON);
  private static final Option<Long> LITRES =
      TABLE.number("pump.litres", "litres").dflt(Long.MAX_VALUE, "any").atLeast("1");
  private static final Option<Long> HALVES = TABLE.alias("pump.half.litres", new Halves(), LITRES);

  static {
    TABLE.withoutEffect("pump.colour");
  }

  /** Litres by their halves; only the other form is written. */
  private static final class Halves extends OptionType<Long> {
    Halves() {
      super(Json.INTEGER, "half litres", "");
    }

    @Override
    public Long parse(String text) {
      return Long.parseLong(text) / 2;
    }

    @Override
    public @Nullable String text(Long litres) {
      return null;
    }
  }

  @TempDir Path directory;

  private ConfigNode node(String... params) {
    StringBuilder xml = new StringBuilder("<river>\n<pump name='p'>\n<params>\n");
    for (int i = 0; i < params.length; i += 2) {
      xml.append("<param name='%s' value='%s'/>\n".formatted(params[i], params[i + 1]));
    }
    try {
      Path file = directory.resolve("pump.xml");
      Files.writeString(file, xml + "</params></pump></river>");
      return ConfigParser.parse(file).at("pump");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Settings read(String... params) {
    return TABLE.read(node(params), TABLE.defaults(), List.of());
  }

  private void shouldRefuse(String message, String... params) {
    assertThatThrownBy(() -> read(params).check("pump p"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(message);
  }

  @Test
  void shouldHaveTheDefaultOfWhatIsNotGiven() {
    Settings settings = read("pump.on", "TRUE");

    assertThat(settings.is(ON)).isTrue();
    assertThat(settings.get(PAUSE)).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.number(LITRES)).isEqualTo(Integer.MAX_VALUE);
    assertThat(settings.isGiven(PAUSE)).isFalse();
    assertThat(settings.with(PAUSE, Duration.ZERO).with(PAUSE, null)).isEqualTo(settings);
    assertThat(TABLE.defaults().is(ON)).isFalse();
  }

  @Test
  void shouldRefuseWhatCannotBeReadIsOutOfRangeOrHasNoEffect() {
    String place = "pump.xml:4: <pump name=\"p\">, parameter ";
    shouldRefuse(
        place + "'pump.on': 'maybe' is not allowed; it must be true or false", "pump.on", "maybe");
    shouldRefuse(place + "'pump.pauze': is unknown; did you mean 'pump.pause'?", "pump.pauze", "1");
    shouldRefuse(
        place + "'pump.half.litres': is given beside pump.litres; give one of them",
        "pump.half.litres",
        "4",
        "pump.litres",
        "2");
    shouldRefuse("pump p: pump.litres is 0; it must be 1 or more", "pump.litres", "0");
    shouldRefuse(
        "pump p: pump.pause is PT3H; 1 ms to 2 hours are allowed",
        "pump.on",
        "true",
        "pump.pause",
        "3hh");
    shouldRefuse(
        "pump p: pump.pause is PT1S, but without pump.on it has no effect; set pump.on, or leave"
            + " pump.pause out",
        "pump.pause",
        "1ss");
    shouldRefuse("pump p: pump.half.litres is 0; it must be 1 or more", "pump.half.litres", "1");
    assertThat(read("pump.colour", "red")).isEqualTo(TABLE.defaults());
  }

  @Test
  void shouldGiveAValueByItsOtherForm() {
    Settings settings = read("pump.half.litres", "14");

    assertThat(settings.get(LITRES)).isEqualTo(7);
    assertThat(settings.get(HALVES)).isEqualTo(7);
    assertThat(settings).isEqualTo(read("pump.litres", "7"));
  }

  @Test
  void shouldNameEachDifference() {
    Settings some = TABLE.defaults().with(ON, true).with(LITRES, 7L);

    assertThat(some.differences(TABLE.defaults(), Set.of()))
        .containsExactly("pump.on is true, not false", "pump.litres is 7, not " + Long.MAX_VALUE);
    assertThat(some.differences(TABLE.defaults(), Set.of(ON, LITRES))).isEmpty();
    assertThat(some)
        .isNotEqualTo(TABLE.defaults())
        .hasToString("pump.on=true, pump.pause=PT5S, pump.litres=7");
  }

  @Test
  void shouldReadTheTextsThatItWrites() {
    Settings some = TABLE.defaults().with(ON, true).with(PAUSE, Duration.ofSeconds(Long.MAX_VALUE));

    assertThat(TABLE.restore(some.texts())).isEqualTo(some).hasSameHashCodeAs(some);
    assertThat(TABLE.restore(Map.of())).isEqualTo(TABLE.defaults());
    assertThatThrownBy(() -> TABLE.restore(Map.of("pump.speed", "9")))
        .isInstanceOf(RiverException.class)
        .isNotInstanceOf(ConfigurationException.class)
        .hasMessageContaining("pump.speed");
  }
}

package com.wookler.river.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class FlameSvgTest {
  private static final double ROUNDING = 0.02;

  private final Stacks all = new Stacks("all");

  @Test
  void shouldMakeFramesAsWideAsTheirShares() throws Exception {
    add(30, "PUBLISHER", "a.A.a", "b.B.b");
    add(50, "PUBLISHER", "a.A.a", "c.C.c");
    add(20, "RIVER", "d.D.d");

    List<Drawn> frames = drawn();

    Drawn root = named(frames, "all");
    assertThat(root.width).isEqualTo(FlameSvg.FRAMES_WIDTH, within(ROUNDING));
    assertThat(named(frames, "PUBLISHER").width + named(frames, "RIVER").width)
        .isEqualTo(root.width, within(ROUNDING));
    assertThat(named(frames, "b.B.b").width + named(frames, "c.C.c").width)
        .isEqualTo(named(frames, "a.A.a").width, within(ROUNDING));
    assertThat(named(frames, "c.C.c").width).isEqualTo(root.width / 2, within(ROUNDING));
    assertThat(named(frames, "c.C.c").x)
        .isEqualTo(named(frames, "b.B.b").x + named(frames, "b.B.b").width, within(ROUNDING));
  }

  @Test
  void shouldHaveTheRootAtTheBottom() throws Exception {
    add(1, "PUBLISHER", "a.A.a");

    List<Drawn> frames = drawn();

    assertThat(named(frames, "all").y).isGreaterThan(named(frames, "PUBLISHER").y);
    assertThat(named(frames, "PUBLISHER").y).isGreaterThan(named(frames, "a.A.a").y);
  }

  @Test
  void shouldLeaveOutWhatIsTooNarrowAndKeepItsPlace() throws Exception {
    add(1, "T", "a.A.rare");
    add(999, "T", "b.B.often");

    List<Drawn> frames = drawn();

    assertThat(frames).extracting(Drawn::name).containsExactly("all", "T", "b.B.often");
    assertThat(named(frames, "b.B.often").x)
        .isEqualTo(named(frames, "T").x + FlameSvg.FRAMES_WIDTH / 1000.0, within(ROUNDING));
  }

  @Test
  void shouldTellTheFullNameSamplesAndPerCent() {
    add(3, "T", "com.wookler.river.core.A.a");
    add(1, "T", "b.B.b");

    assertThat(FlameSvg.draw(all, List.of("caption")))
        .contains("<title>com.wookler.river.core.A.a: 3 samples, 75.0 %</title>")
        .contains("fill=\"" + Owner.RIVER.colour() + "\"")
        .contains(">c.w.r.c.A.a</text>");
  }

  @Test
  void shouldBeWellFormedWhateverTheNames() throws Exception {
    add(1, "a \"thread\" <1> & \u0000more", "a.A.<init>");

    Document svg = parse(FlameSvg.draw(all, List.of("R & D", "<x>")));

    assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).isEqualTo("R & D");
    assertThat(frames(svg))
        .extracting(Drawn::name)
        .containsExactly("all", "a \"thread\" <1> & more", "a.A.<init>");
  }

  @Test
  void shouldDrawNoSamples() throws Exception {
    assertThat(drawn()).extracting(Drawn::name).containsExactly("all");
  }

  private record Drawn(String name, double x, double y, double width) {}

  private void add(int samples, String... frames) {
    for (int i = 0; i < samples; i++) {
      all.add(List.of(frames));
    }
  }

  private List<Drawn> drawn() throws Exception {
    return frames(parse(FlameSvg.draw(all, List.of("caption"))));
  }

  private static Drawn named(List<Drawn> frames, String name) {
    return frames.stream().filter(frame -> frame.name.equals(name)).findFirst().orElseThrow();
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static List<Drawn> frames(Document svg) {
    List<Drawn> frames = new ArrayList<>();
    NodeList groups = svg.getElementsByTagName("g");
    for (int i = 0; i < groups.getLength(); i++) {
      Element group = (Element) groups.item(i);
      String title = group.getElementsByTagName("title").item(0).getTextContent();
      Element rect = (Element) group.getElementsByTagName("rect").item(0);
      frames.add(
          new Drawn(
              title.substring(0, title.lastIndexOf(": ")),
              Double.parseDouble(rect.getAttribute("x")),
              Double.parseDouble(rect.getAttribute("y")),
              Double.parseDouble(rect.getAttribute("width"))));
    }
    return frames;
  }
}

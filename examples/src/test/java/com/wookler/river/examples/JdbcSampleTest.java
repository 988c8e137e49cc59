package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class JdbcSampleTest {
  @TempDir Path directory;

  @AfterEach
  void stop() {
    Env.reset();
  }

  @Test
  void shouldHaveEachMessageOnceInTheDatabaseAlsoAfterASecondRun() throws Exception {
    Path config = directory.resolve("config.xml");
    String example = Files.readString(Path.of("examples/src/main/resources/example-jdbc.xml"));
    Files.writeString(config, example.replace("/tmp/river/test-jdbc", directory + "/data"));

    run(config, 1500);
    assertThat(rows()).isEqualTo(1500);
    run(config, 500);
    assertThat(rows()).isEqualTo(2000);
  }

  private static void run(Path config, int count) throws IOException {
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new PrintWriter(new StringWriter()),
            new PrintWriter(err, true),
            "--config",
            config.toString(),
            "--example",
            JdbcSample.class.getName(),
            "--count",
            Integer.toString(count),
            "--producers",
            "2");

    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
  }

  private long rows() throws Exception {
    try (Connection connection =
            DriverManager.getConnection("jdbc:h2:file:" + directory + "/data/database");
        Statement statement = connection.createStatement();
        ResultSet counted = statement.executeQuery("select count(distinct sequence) from event")) {
      counted.next();
      return counted.getLong(1);
    }
  }
}

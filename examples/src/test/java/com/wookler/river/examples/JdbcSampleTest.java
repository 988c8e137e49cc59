package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import java.io.IOException;
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
    run(1500);
    assertThat(rows()).isEqualTo(1500);
    run(500);
    assertThat(rows()).isEqualTo(2000);
  }

  private void run(int count) throws IOException {
    SampleRun.of(
            JdbcSample.class,
            "example-jdbc.xml",
            directory,
            "--count",
            Integer.toString(count),
            "--producers",
            "2")
        .shouldHaveGoneWell();
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

package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.FigureRecorder;
import com.wookler.river.rest.server.hosting.Figures;
import com.wookler.river.rest.server.hosting.PastSpan;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The routes for figures of all queues at once, and for their past. */
final class FigureRoutes {
  private static final String QUEUE = "/v1/queues/{queue}";
  private static final Set<String> OF = Set.of("queue");
  private static final Set<String> SPAN = Set.of("span");
  private static final int MAX_STREAMS = 64; // each writes all rows for itself, every second
  private static final int RETRY_SECONDS = 5;

  private final QueueResolver queues;
  private final FigureRecorder recorder;
  private final AdmissionControl admission;
  private final Set<FigureStream> open = ConcurrentHashMap.newKeySet();
  private final Semaphore free = new Semaphore(MAX_STREAMS);
  private volatile boolean closed;

  FigureRoutes(QueueResolver queues, FigureRecorder recorder, AdmissionControl admission) {
    this.queues = queues;
    this.recorder = recorder;
    this.admission = admission;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/v1/figures", Right.METRICS, OF, this::figures),
        new Endpoint(HttpMethod.GET, "/v1/figures/stream", Right.METRICS, OF, this::stream),
        new Endpoint(HttpMethod.GET, QUEUE + "/figures", Right.METRICS, SPAN, this::past),
        new Endpoint(
            HttpMethod.GET,
            QUEUE + "/subscribers/{subscriber}/figures",
            Right.METRICS,
            SPAN,
            this::past));
  }

  record FiguresJson(
      String at,
      long stepMillis,
      boolean complete,
      List<Figures.OfQueue> queues,
      List<String> removed,
      @Nullable List<Figures.OfSubscriber> subscribers) {}

  record PastJson(String at, long stepMillis, Map<String, float[]> series) {}

  /**
   * What a caller sees of the figures.
   *
   * @param queue the only queue, whose subscribers are shown too; null for all without them
   */
  record Scope(Access access, @Nullable String queue) {
    private boolean shows(String name) {
      return (queue == null || queue.equals(name)) && access.allows(Right.METRICS, name);
    }

    /** Returns the rows; those that have changed since an earlier sample, if there is one. */
    FiguresJson json(Figures now, @Nullable Figures since) {
      Map<String, Figures.OfQueue> before = since == null ? Map.of() : since.queues();
      List<Figures.OfQueue> changed = new ArrayList<>();
      now.queues()
          .forEach(
              (name, row) -> {
                if (!row.equals(before.get(name)) && shows(name)) {
                  changed.add(row);
                }
              });
      List<String> removed =
          before.keySet().stream()
              .filter(name -> !now.queues().containsKey(name) && shows(name))
              .toList();
      return new FiguresJson(
          now.at().toString(),
          FigureRecorder.STEP.toMillis(),
          since == null,
          changed,
          removed,
          queue == null || !shows(queue) ? null : now.subscribers().getOrDefault(queue, List.of()));
    }
  }

  private Scope scope(ApiRequest call) {
    String queue = call.query("queue");
    if (queue != null) {
      RequestException denial =
          call.access().denial(Right.METRICS, ContractFormat.name("queue", queue));
      if (denial != null) {
        throw denial;
      }
      var unused = queues.queue(queue); // fails if there is none
    }
    return new Scope(call.access(), queue);
  }

  private Future<ApiResponse> figures(ApiRequest call) {
    Scope scope = scope(call);
    return Future.succeededFuture(
        ApiResponse.ok(ApiResponse.buffer(scope.json(recorder.latest(), null))));
  }

  /** The response is the stream itself, so that the future never completes. */
  private Future<ApiResponse> stream(ApiRequest call) {
    Scope scope = scope(call);
    StreamFormat format = StreamFormat.of(call, StreamFormat.LINES);
    if (call.request().method().equals(HttpMethod.HEAD)) {
      return Future.succeededFuture(new ApiResponse(200, format.type(), Buffer.buffer()));
    }
    if (!free.tryAcquire()) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          "there are " + MAX_STREAMS + " streams of figures, as many as there may be",
          RETRY_SECONDS);
    }
    call.exchange().onEnd(free::release);
    admission.admitWaiting(call.exchange()::onEnd);
    FigureStream stream = new FigureStream(call.exchange(), scope);
    open.add(stream);
    recorder.addListener(stream);
    call.exchange()
        .onEnd(
            () -> {
              recorder.removeListener(stream);
              open.remove(stream);
            });
    stream.start(recorder.latest());
    if (closed) {
      stream.finish();
    }
    return Future.future(never -> {});
  }

  private Future<ApiResponse> past(ApiRequest call) {
    String name = call.query("span");
    PastSpan span = name == null ? PastSpan.TEN_MINUTES : PastSpan.of("span", name);
    String queue = queues.queue(call.name("queue")).queue().name();
    String subscriber = call.nameOrNull("subscriber");
    PastJson json =
        new PastJson(
            recorder.latest().at().toString(),
            span.step().toMillis(),
            recorder.past(queue, subscriber, span));
    return Future.succeededFuture(ApiResponse.ok(ApiResponse.buffer(json)));
  }

  /** Returns the number of open streams. */
  int count() {
    return open.size();
  }

  /** Ends all streams, because keys have changed: what they show has, too. */
  void endStreams() {
    open.forEach(FigureStream::finish);
  }

  /** Ends all streams, and those that start later. */
  void close() {
    closed = true;
    endStreams();
  }
}

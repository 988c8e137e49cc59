-- Publishes as the arguments behind -- say: BATCH messages of SIZE bytes a request; with "ids" each
-- request has an id that its queue has not seen. Prints its figures as one line, for RestCommand.

local started = 0

function setup(thread)
  started = started + 1
  thread:set("number", started)
end

local function text(size)
  return string.rep("A river does not hurry, and it is never late. ", size / 46 + 1):sub(1, size)
end

function init(args)
  local batch, size = tonumber(args[1]), tonumber(args[2])
  wrk.method = "POST"
  if batch == 1 then
    wrk.headers["Content-Type"] = "text/plain"
    wrk.body = text(size)
  else
    wrk.headers["Content-Type"] = "application/x-ndjson"
    wrk.body = string.rep('{"data":"' .. text(size) .. '"}\n', batch)
  end
  if args[3] == "ids" then
    local sent = 0
    request = function()
      sent = sent + 1
      wrk.headers["River-Id"] = number .. "-" .. sent
      return wrk.format()
    end
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  print(string.format(
    "RIVER requests=%d micros=%d refused=%d broken=%d p50=%d p99=%d max=%d",
    summary.requests,
    summary.duration,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50),
    latency:percentile(99),
    latency.max))
end

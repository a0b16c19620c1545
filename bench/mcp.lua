-- The load of the MCP door: requests of a file, each with the key on its line, in turns.
-- From the environment:
--   BENCH_REQUESTS  a file with two lines for each request: its key, and its body

local threads, requests, place = {}, {}, 0
ok, limited, other = 0, 0, 0

function setup(thread)
   table.insert(threads, thread)
end

function init()
   local key
   for line in io.lines(os.getenv("BENCH_REQUESTS")) do
      if key then
         local headers = {
            ["authorization"] = "Bearer " .. key,
            ["content-type"] = "application/json",
            ["accept"] = "application/json, text/event-stream",
            ["mcp-protocol-version"] = "2025-06-18",
         }
         table.insert(requests, wrk.format("POST", nil, headers, line))
         key = nil
      else
         key = line
      end
   end
end

function request()
   place = place % #requests + 1
   return requests[place]
end

function response(status)
   if status == 200 then ok = ok + 1 elseif status == 429 then limited = limited + 1 else other = other + 1 end
end

function done(summary, latency)
   local sums = { ok = 0, limited = 0, other = 0 }
   for _, thread in ipairs(threads) do
      for name in pairs(sums) do sums[name] = sums[name] + thread:get(name) end
   end
   local errors = summary.errors
   io.write(("\n{\"seconds\":%f,\"requests\":%d,\"ok\":%d,\"limited\":%d,\"other\":%d,\"broken\":%d,"):format(
      summary.duration / 1e6, summary.requests, sums.ok, sums.limited, sums.other,
      errors.connect + errors.read + errors.write + errors.timeout))
   io.write(("\"p50_ms\":%f,\"p99_ms\":%f,\"max_ms\":%f}\n"):format(
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end

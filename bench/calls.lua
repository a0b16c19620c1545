-- The load of calls that wrk sends to a tool, or to another door.
-- From the environment:
--   BENCH_BODIES  a file with a body a line; they are sent in turn
--   BENCH_KEYS    API keys, separated by commas; they are used in turn; may be empty
--   BENCH_METHOD  POST unless it says otherwise

local bodies, keys, place = {}, {}, 0
local threads = {}
ok, limited, other = 0, 0, 0

function setup(thread)
   table.insert(threads, thread)
end

local requests = {}

function init()
   for line in io.lines(os.getenv("BENCH_BODIES")) do table.insert(bodies, line) end
   for key in os.getenv("BENCH_KEYS"):gmatch("[^,]+") do table.insert(keys, key) end
   if #keys == 0 then keys = { "" } end
   for number = 1, #bodies * #keys do
      local headers = { ["content-type"] = "application/json" }
      for name, value in pairs(wrk.headers) do headers[name] = value end
      local key = keys[number % #keys + 1]
      if key ~= "" then headers["authorization"] = "Bearer " .. key end
      table.insert(requests, wrk.format(os.getenv("BENCH_METHOD") or "POST", nil, headers, bodies[math.ceil(number / #keys)]))
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

-- The load that wrk sends: submissions of about 300 bytes, nine in ten from an e-mail address never seen; or reads.
-- From the environment:
--   BENCH_FORMS     a file with a line for each form: its key, and its organization's contacts as `%d@…`
--   BENCH_MODE      `spread`: every form once in a random order, then again in another; `hot`: the first alone;
--                   `get`: as `spread`, and what stands for a form's key is an address that is read;
--                   `messages`: as `spread`, but the keys are of channels, and messages are sent to them
--   BENCH_SEED      of what is random, and of phone numbers: 0 to 99
--   BENCH_TAIL      the end of every new address before the `@`
--   BENCH_PAUSE_MS  waited before each request of a connection
--   BENCH_POSTS     answers after which the run is over; 0 for as long as it was given

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int pid, int signal);")

local INTERRUPT = 2
local mode, tail = os.getenv("BENCH_MODE"), os.getenv("BENCH_TAIL")
local pause_ms, posts = tonumber(os.getenv("BENCH_PAUSE_MS")), tonumber(os.getenv("BENCH_POSTS"))
local seed = tonumber(os.getenv("BENCH_SEED"))
local threads, forms, order, place, count = {}, {}, {}, 0, 0
ok, limited, other = 0, 0, 0

function setup(thread)
   table.insert(threads, thread)
end

local function shuffle()
   for i = #order, 2, -1 do
      local j = math.random(i)
      order[i], order[j] = order[j], order[i]
   end
   place = 0
end

function init()
   for line in io.lines(os.getenv("BENCH_FORMS")) do
      local key, customer = line:match("(%S+) (%S+)")
      table.insert(forms, { key = key, customer = customer })
      table.insert(order, #forms)
   end
   math.randomseed(seed)
   shuffle()
   wrk.headers["content-type"] = "application/json"
   wrk.headers["user-agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
end

local function next_form()
   if mode == "hot" then return forms[1] end
   if place == #order then shuffle() end
   place = place + 1
   return forms[order[place]]
end

local BODY = '{"f":"%s","v":{"name":"Anna Petrova","email":"%s"%s,"company":"Petrova Consulting GmbH",' ..
   '"city":"Frankfurt am Main","message":"Hello, we would like a quote for 25 seats. Please call back."}}'

local MESSAGE = '{"conversationId":"chat-%d","messageId":"%d-%s","direction":"in","sender":{"name":"Anna"},' ..
   '"text":"Hello, is the lamp with the green shade ready? I would come by this afternoon, if it is."}'

local function message(key)
   wrk.headers["authorization"] = "Bearer " .. key
   return wrk.format("POST", nil, nil, MESSAGE:format(math.random(1, 20), count, tail))
end

local function submission()
   local form = next_form()
   if mode == "get" then return wrk.format("GET", form.key) end
   count = count + 1
   if mode == "messages" then return message(form.key) end
   local email, phone
   if count % 10 == 0 then -- somebody who is a contact already
      email, phone = form.customer:format(math.random(0, 19)), ""
   else
      email = ("%d.%s@mail.example"):format(count, tail)
      phone = count % 2 == 0 and (',"phone":"+49 151 %08d"'):format(seed * 1000000 + count) or ""
   end
   return wrk.format("POST", nil, nil, BODY:format(form.key, email, phone))
end

local tried = false

function request()
   local made = submission()
   if not tried then -- wrk asks for one that it never sends
      tried, place, count = true, 0, 0
   end
   return made
end

if pause_ms > 0 then
   function delay()
      return pause_ms
   end
end

function response(status)
   if status == 200 then ok = ok + 1 elseif status == 429 then limited = limited + 1 else other = other + 1 end
   if posts > 0 and ok + limited + other == posts then
      ffi.C.kill(ffi.C.getpid(), INTERRUPT) -- wrk then ends as if its time were over
   end
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

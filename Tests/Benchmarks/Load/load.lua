-- What wrk sends. PATTERN says which requests, over and over: g a guarded one, m who am I, l a login, r a refresh.
-- ACCESS, LOGINS and REFRESH are files with a token (or a login's body) in each line; SKIP lines are left out of LOGINS,
-- since they have been used. With AGAIN they are good more than once: the floor does not look at them.

local threads = {}

-- In wrk's own state.
function setup(thread)
  threads[#threads + 1] = thread
end

-- In the thread's, from here to response().
--
-- Refresh tokens stand in a queue: an answer brings one to its end, a request takes one from its front. wrk does not say
-- which connection it asks for; but none is sent before its answer has come, none twice, and each is one of a chain.
local pattern = os.getenv("PATTERN")
local again = os.getenv("AGAIN")
local place = 0

used, dry = 0, 0

local function lines(name, skip)
  local list, number = {}, 0
  if not os.getenv(name) then return list end
  for line in io.lines(os.getenv(name)) do
    number = number + 1
    if number > skip then list[#list + 1] = line end
  end
  return list
end

local function get(path, token)
  return "GET " .. path .. " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Bench/1\r\nAuthorization: Bearer " .. token
    .. "\r\n\r\n"
end

local function post(path, body)
  return "POST " .. path .. " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Bench/1\r\nContent-Type: application/json\r\n"
    .. "Content-Length: " .. #body .. "\r\n\r\n" .. body
end

local access, logins, chains
local first, last, turn = 1, 0, 0

function init()
  access, logins, chains = lines("ACCESS", 0), lines("LOGINS", tonumber(os.getenv("SKIP"))), lines("REFRESH", 0)
  last = #chains
end

local function bearer()
  turn = turn % #access + 1
  return access[turn]
end

-- Each login is good for one. Where they run out the run is worthless, and says so.
local function exhausted()
  dry = dry + 1
  return get("/nothing-left", "none")
end

local requests = {
  [string.byte("g")] = function() return get("/guarded", bearer()) end,
  [string.byte("m")] = function() return get("/api/users/me", bearer()) end,
  [string.byte("l")] = function()
    used = used + 1
    local body = logins[again and (used - 1) % #logins + 1 or used]
    return body and post("/api/auth/apple", body) or exhausted()
  end,
  [string.byte("r")] = function()
    local token = chains[first]
    if first > last then return exhausted() end
    chains[first] = nil
    first = first + 1
    return post("/api/auth/refresh", '{"refreshToken":"' .. token .. '"}')
  end,
}

function request()
  place = place % #pattern + 1
  return requests[pattern:byte(place)]()
end

-- To look at answers costs time, so only where something in them is needed.
if pattern:find("r") then
  function response(status, headers, body)
    local _, before = body:find('"refreshToken":"', 1, true)
    if before and status == 200 then
      last = last + 1
      chains[last] = body:sub(before + 1, body:find('"', before + 1, true) - 1)
    end
  end
end

-- In wrk's own state again.
function done(summary, latency)
  local errors, thread = summary.errors, threads[1]
  io.write(string.format(
    'RESULT {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"p999":%d,"max":%d,"used":%d,"dry":%d,'
    .. '"refused":%d,"broken":%d,"late":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    latency.max, thread:get("used"), thread:get("dry"), errors.status, errors.connect + errors.read + errors.write,
    errors.timeout))
end

import { createHash } from 'node:crypto';
import { maxClockSkewMs } from '../limiter/strategies/bucket.ts';

/** The end of a block without end, the latest instant of a date: milliseconds since the Unix epoch. */
export const endlessMs = 8_640_000_000_000_000;

/** The field of a key's block. No policy's name begins with a colon. */
export const blockField = ':blocked';

/** The numbers that follow the operation: the instant ('' for the server's), the amount, the least time to live. */
export const headLength = 4;

/** Each policy has its name, its kind, its limit, the two numbers of its rule, and the state to give back to ('' for none). */
export const policyLength = 6;

/**
 * Every operation on a key, as one script: Redis runs it with nothing in between. It repeats the rules of the strategies,
 * number by number; both count in doubles, in the same order.
 *
 * A hash keeps a key: a field for each policy's state, and one for its block. Numbers go in and out in all their digits, as
 * Lua's `tostring` would round them. The answer is one text that begins with a letter, since some clients turn what looks
 * like a number into one:
 * - `T now blockedUntil|state|…` taken, `S …` seen only: a state for each policy, in order, empty for none
 * - `X now` a calendar's span does not hold the server's instant: nothing was done
 * - `C field` the field holds what cannot be read: nothing was done
 */
export const script = `
local key, operation, amount = KEYS[1], ARGV[1], tonumber(ARGV[3])
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function digits(number)
  return string.format('%.0f', number)
end

if operation == 'delete' then
  redis.call('DEL', key)
  return 'S ' .. digits(now) .. ' 0'
end

local policies = {}
for i = ${headLength + 1}, #ARGV, ${policyLength} do
  local policy = { name = ARGV[i], kind = ARGV[i + 1], limit = tonumber(ARGV[i + 2]), taken = ARGV[i + 5] }
  policy.a, policy.b = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
  if policy.kind == 'c' then
    policy.kind = 'w'
    if now < policy.a or now >= policy.b then return 'X ' .. digits(now) end
  elseif policy.kind == 'w' then
    policy.a = math.floor(now / policy.a) * policy.a
    policy.b = policy.a + tonumber(ARGV[i + 3])
  end
  policies[#policies + 1] = policy
end

local sizes = { b = 5, s = 4, w = 3 }

local function text(state)
  local parts = { state.kind }
  for i = 1, #state do parts[i + 1] = digits(state[i]) end
  return table.concat(parts, ' ')
end

-- Strict: a state is what it is written as, to the last digit.
local function parse(value)
  local state = { kind = string.sub(value, 1, 1) }
  for number in string.gmatch(value, ' (%-?%d+)') do state[#state + 1] = tonumber(number) end
  if sizes[state.kind] == #state and text(state) == value then return state end
end

-- b: tat, sinceMs, given, ticksPerMs, ticksPerCost; the rule's a and b are its ticksPerMs and ticksPerCost
-- w: startMs, endMs, used; the rule's a and b are the window's start and end
-- s: startMs, windowMs, used, previous; the rule's a is its windowMs
local function begin(policy, owed)
  return { kind = 'b', now * policy.a + owed, now, 0, policy.a, policy.b }
end

local function isFromAhead(stored)
  return stored and stored.kind == 'b' and stored[2] > now + ${maxClockSkewMs}
end

local function currentBucket(policy, stored)
  if not stored or stored.kind ~= 'b' then return begin(policy, 0) end
  if isFromAhead(stored) then return begin(policy, policy.limit * policy.b) end
  if stored[4] == policy.a and stored[5] == policy.b then
    return stored[1] >= now * policy.a and stored or begin(policy, 0)
  end
  local owed = math.max(0, stored[1] - now * stored[4])
  local whole = math.floor(owed / stored[5])
  local rest = owed - whole * stored[5]
  return begin(policy, whole * policy.b + math.ceil(rest * policy.b / stored[5]))
end

local function currentWindow(policy, stored)
  if stored and stored.kind == 'w' then
    if stored[1] == policy.a and stored[2] == policy.b or stored[1] == policy.b then return stored end
  end
  return { kind = 'w', policy.a, policy.b, 0 }
end

local function currentSliding(policy, stored)
  local window = policy.a
  local start = math.floor(now / window) * window
  if not stored or stored.kind ~= 's' or stored[2] ~= window then return { kind = 's', start, window, 0, 0 } end
  if stored[1] == start or stored[1] == start + window then return stored end
  return { kind = 's', start, window, 0, stored[1] == start - window and stored[3] or 0 }
end

local currents = { b = currentBucket, w = currentWindow, s = currentSliding }

local function remaining(policy, state)
  if state.kind == 'b' then
    return math.floor((now * policy.a + policy.limit * policy.b - state[1]) / policy.b)
  end
  if state.kind == 'w' then return policy.limit - state[3] end
  local weighed = math.floor(state[4] * math.min(state[2], state[1] + state[2] - now) / state[2])
  return policy.limit - state[3] - weighed
end

local function take(policy, state, cost)
  if state.kind == 'b' then return { kind = 'b', state[1] + cost * policy.b, state[2], state[3], state[4], state[5] } end
  return { kind = state.kind, state[1], state[2], state[3] + cost, state[4] }
end

-- The state itself where nothing is given back.
local function giveBack(policy, state, cost, taken)
  if taken.kind ~= state.kind or taken[2] ~= state[2] then return state end
  if state.kind == 'b' then
    if taken[4] ~= policy.a or taken[5] ~= policy.b then return state end
    local last = taken[1] - (state[3] - taken[3])
    local back = math.min(cost * policy.b, math.max(0, last - now * policy.a))
    if back == 0 then return state end
    local given = state[1] == last and state[3] or state[3] + back
    return { kind = 'b', math.max(now * policy.a, state[1] - back), state[2], given, state[4], state[5] }
  end
  if taken[1] == state[1] then
    if state[3] < cost then return state end
    return { kind = state.kind, state[1], state[2], state[3] - cost, state[4] }
  end
  if state.kind == 'w' or taken[1] ~= state[1] - state[2] or state[4] < cost then return state end
  return { kind = 's', state[1], state[2], state[3], state[4] - cost }
end

-- The first instant at which a state is as good as none, whatever the rule.
local function matters(state)
  if state.kind == 'b' then return math.ceil(state[1] / state[4]) end
  if state.kind == 'w' then return state[2] end
  return state[1] + (state[3] > 0 and 2 or 1) * state[2]
end

local states, blockedUntil = {}, 0
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == '${blockField}' then
    blockedUntil = tonumber(value)
    if not blockedUntil or digits(blockedUntil) ~= value then return 'C ' .. name end
  else
    states[name] = parse(value)
    if not states[name] then return 'C ' .. name end
  end
end

local function answer(letter)
  local parts = { letter .. ' ' .. digits(now) .. ' ' .. digits(blockedUntil) }
  for i, policy in ipairs(policies) do
    local state = states[policy.name]
    parts[i + 1] = state and text(state) or ''
  end
  return table.concat(parts, '|')
end

-- Every write sets the time to live anew: to the last instant at which anything in the key matters.
local function expire()
  local last = blockedUntil
  for _, state in pairs(states) do last = math.max(last, matters(state)) end
  if last >= ${endlessMs} then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIRE', key, digits(math.max(1, last - now, tonumber(ARGV[4]))))
  end
end

-- Keeps a state for each policy that has one in the list.
local function write(changed)
  local changes = {}
  for _, policy in ipairs(policies) do
    local state = changed[policy.name]
    if state then
      states[policy.name] = state
      changes[#changes + 1] = policy.name
      changes[#changes + 1] = text(state)
    end
  end
  if #changes == 0 then return end
  redis.call('HSET', key, unpack(changes))
  expire()
end

local currentStates, isMended = {}, false
for _, policy in ipairs(policies) do
  local stored = states[policy.name]
  currentStates[policy.name] = currents[policy.kind](policy, stored)
  isMended = isMended or isFromAhead(stored)
end

-- A refusal writes nothing, but for a bucket that a wrong clock began.
local function refuse()
  if isMended then write(currentStates) end
  return answer('S')
end

local changed = {}
if operation == 'take' then
  if blockedUntil > now then return refuse() end
  for _, policy in ipairs(policies) do
    local state = currentStates[policy.name]
    if amount > remaining(policy, state) then return refuse() end
    changed[policy.name] = take(policy, state, amount)
  end
  write(changed)
  return answer('T')
end

if operation == 'charge' then
  for _, policy in ipairs(policies) do changed[policy.name] = take(policy, currentStates[policy.name], amount) end
  write(changed)
elseif operation == 'giveBack' then
  for _, policy in ipairs(policies) do
    local state, taken = currentStates[policy.name], parse(policy.taken)
    local after = taken and giveBack(policy, state, amount, taken) or state
    if after ~= state then changed[policy.name] = after end
  end
  write(changed)
elseif operation == 'block' then
  blockedUntil = math.min(${endlessMs}, now + amount)
  if amount > 0 then
    redis.call('HSET', key, '${blockField}', digits(blockedUntil))
  else
    blockedUntil = 0
    redis.call('HDEL', key, '${blockField}')
  end
  expire()
end
return answer('S')
`;

/** The name by which Redis knows the script: its SHA-1, in hex. */
export const scriptSha1: string = createHash('sha1').update(script).digest('hex');

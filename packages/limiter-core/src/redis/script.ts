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
local format, floor, ceil, min, max = string.format, math.floor, math.ceil, math.min, math.max
local nowText = format('%.0f', now)

if operation == 'delete' then
  redis.call('DEL', key)
  return 'S ' .. nowText .. ' 0'
end

local policies = {}
for i = ${headLength + 1}, #ARGV, ${policyLength} do
  local kind, a, b = ARGV[i + 1], tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
  if kind == 'c' then
    kind = 'w'
    if now < a or now >= b then return 'X ' .. nowText end
  elseif kind == 'w' then
    local start = floor(now / a) * a
    a, b = start, start + a
  end
  local policy = { name = ARGV[i], kind = kind, limit = tonumber(ARGV[i + 2]), a = a, b = b, taken = ARGV[i + 5] }
  policies[#policies + 1] = policy
end

-- A state is a list of its kind's letter and its numbers:
-- b: tat, sinceMs, given, ticksPerMs, ticksPerCost; the rule's a and b are its ticksPerMs and ticksPerCost
-- w: startMs, endMs, used; the rule's a and b are the window's start and end
-- s: startMs, windowMs, used, previous; the rule's a is its windowMs
local forms = {
  b = '^b (%-?%d+) (%-?%d+) (%d+) (%d+) (%d+)$',
  s = '^s (%-?%d+) (%d+) (%d+) (%d+)$',
  w = '^w (%-?%d+) (%-?%d+) (%d+)$',
}

local function parse(value)
  local kind = string.sub(value, 1, 1)
  local first, second, third, fourth, fifth = string.match(value, forms[kind] or '^()$')
  if fifth then
    return { kind, tonumber(first), tonumber(second), tonumber(third), tonumber(fourth), tonumber(fifth) }
  end
  if third then return { kind, tonumber(first), tonumber(second), tonumber(third), tonumber(fourth) } end
end

local function text(state)
  local kind = state[1]
  if kind == 'w' then return format('w %.0f %.0f %.0f', state[2], state[3], state[4]) end
  if kind == 's' then return format('s %.0f %.0f %.0f %.0f', state[2], state[3], state[4], state[5]) end
  return format('b %.0f %.0f %.0f %.0f %.0f', state[2], state[3], state[4], state[5], state[6])
end

local texts, states, blockedUntil, blockedText = {}, {}, 0, '0'
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == '${blockField}' then
    if not string.find(value, '^%-?%d+$') then return 'C ' .. name end
    blockedUntil, blockedText = tonumber(value), value
  else
    local state = parse(value)
    if not state then return 'C ' .. name end
    states[name], texts[name] = state, value
  end
end

local function isFromAhead(stored)
  return stored and stored[1] == 'b' and stored[3] > now + ${maxClockSkewMs}
end

local function begin(policy, owed)
  return { 'b', now * policy.a + owed, now, 0, policy.a, policy.b }
end

local function currentBucket(policy, stored)
  local rate, perCost = policy.a, policy.b
  if not stored or stored[1] ~= 'b' then return begin(policy, 0) end
  if isFromAhead(stored) then return begin(policy, policy.limit * perCost) end
  if stored[5] == rate and stored[6] == perCost then
    return stored[2] >= now * rate and stored or begin(policy, 0)
  end
  local owed = max(0, stored[2] - now * stored[5])
  local whole = floor(owed / stored[6])
  local rest = owed - whole * stored[6]
  return begin(policy, whole * perCost + ceil(rest * perCost / stored[6]))
end

local function current(policy)
  local kind, stored = policy.kind, states[policy.name]
  if kind == 'b' then return currentBucket(policy, stored) end
  local isKind = stored and stored[1] == kind
  if kind == 'w' then
    local isSame = isKind and stored[2] == policy.a and stored[3] == policy.b
    if isSame or isKind and stored[2] == policy.b then return stored end
    return { 'w', policy.a, policy.b, 0 }
  end
  local window = policy.a
  local start = floor(now / window) * window
  if not isKind or stored[3] ~= window then return { 's', start, window, 0, 0 } end
  if stored[2] == start or stored[2] == start + window then return stored end
  return { 's', start, window, 0, stored[2] == start - window and stored[4] or 0 }
end

local function remaining(policy, state)
  local kind = policy.kind
  if kind == 'b' then return floor((now * policy.a + policy.limit * policy.b - state[2]) / policy.b) end
  if kind == 'w' then return policy.limit - state[4] end
  return policy.limit - state[4] - floor(state[5] * min(state[3], state[2] + state[3] - now) / state[3])
end

local function take(policy, state)
  local kind = policy.kind
  if kind == 'b' then
    return { 'b', state[2] + amount * policy.b, state[3], state[4], state[5], state[6] }
  end
  return { kind, state[2], state[3], state[4] + amount, state[5] }
end

local function answer(letter)
  local told = letter .. ' ' .. nowText .. ' ' .. blockedText
  for _, policy in ipairs(policies) do told = told .. '|' .. (texts[policy.name] or '') end
  return told
end

-- Every write sets the time to live anew: to the last instant at which anything in the key matters, whatever the rule.
local function expire()
  local last = blockedUntil
  for _, state in pairs(states) do
    if state[1] == 'b' then
      last = max(last, ceil(state[2] / state[5]))
    elseif state[1] == 'w' then
      last = max(last, state[3])
    else
      last = max(last, state[2] + (state[4] > 0 and 2 or 1) * state[3])
    end
  end
  if last >= ${endlessMs} then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIRE', key, format('%.0f', max(1, last - now, tonumber(ARGV[4]))))
  end
end

-- Writes the states of these names.
local function write(changed)
  local changes = {}
  for name, state in pairs(changed) do
    local value = text(state)
    states[name], texts[name] = state, value
    changes[#changes + 1] = name
    changes[#changes + 1] = value
  end
  if #changes == 0 then return end
  redis.call('HSET', key, unpack(changes))
  expire()
end

-- A refusal writes nothing, but for a bucket that a wrong clock began: it fills from now on.
local function refuse()
  local mended, isWrong = {}, false
  for _, policy in ipairs(policies) do
    isWrong = isWrong or isFromAhead(states[policy.name])
    mended[policy.name] = current(policy)
  end
  if isWrong then write(mended) end
  return answer('S')
end

local changed = {}
if operation == 'take' then
  if blockedUntil > now then return refuse() end
  for _, policy in ipairs(policies) do
    local state = current(policy)
    if amount > remaining(policy, state) then return refuse() end
    changed[policy.name] = take(policy, state)
  end
  -- A cost of 0 only looks.
  if amount > 0 then write(changed) end
  return answer('T')
end

-- The state itself where nothing is given back.
local function giveBack(policy, state, taken)
  local kind = state[1]
  if taken[1] ~= kind then return state end
  if kind == 'b' then
    if taken[3] ~= state[3] or taken[5] ~= policy.a or taken[6] ~= policy.b then return state end
    local last = taken[2] - (state[4] - taken[4])
    local back = min(amount * policy.b, max(0, last - now * policy.a))
    if back == 0 then return state end
    local given = state[2] == last and state[4] or state[4] + back
    return { 'b', max(now * policy.a, state[2] - back), state[3], given, state[5], state[6] }
  end
  if taken[3] ~= state[3] then return state end
  if taken[2] == state[2] and state[4] >= amount then
    return { kind, state[2], state[3], state[4] - amount, state[5] }
  end
  if kind == 's' and taken[2] == state[2] - state[3] and state[5] >= amount then
    return { kind, state[2], state[3], state[4], state[5] - amount }
  end
  return state
end

if operation == 'charge' then
  for _, policy in ipairs(policies) do changed[policy.name] = take(policy, current(policy)) end
  write(changed)
elseif operation == 'giveBack' then
  for _, policy in ipairs(policies) do
    local taken = parse(policy.taken)
    if taken and next(states) then
      local state = current(policy)
      local after = giveBack(policy, state, taken)
      if after ~= state then changed[policy.name] = after end
    end
  end
  write(changed)
elseif operation == 'block' then
  if amount > 0 then
    blockedUntil = min(${endlessMs}, now + amount)
    blockedText = format('%.0f', blockedUntil)
    redis.call('HSET', key, '${blockField}', blockedText)
  else
    blockedUntil, blockedText = 0, '0'
    redis.call('HDEL', key, '${blockField}')
  end
  expire()
end
return answer('S')
`;

/** The name by which Redis knows the script: its SHA-1, in hex. */
export const scriptSha1: string = createHash('sha1').update(script).digest('hex');

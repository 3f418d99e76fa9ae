import { createHash } from 'node:crypto';
import { maxClockSkewMs } from '../limiter/strategies/bucket.ts';

/** The end of a block without end, the latest instant of a date: milliseconds since the Unix epoch. */
export const endlessMs = 8_640_000_000_000_000;

/** The field of a key's block. No policy's name begins with a colon. */
export const blockField = ':blocked';

/** The least time that a key is kept where another clock than the server's decides: milliseconds. */
export const keepWithClockMs = 3_600_000;

/**
 * Every operation on a key, as one script: Redis runs it with nothing in between. It repeats the rules of the strategies,
 * number by number; both count in doubles, in the same order.
 *
 * Its arguments are the operation, the instant ('' for the server's) and the amount; then for each policy its name, its
 * kind, its limit and the two numbers of its rule; to give back, also the state just after the take ('' for none).
 *
 * A hash keeps a key: a field for each policy's state, and one for its block. Numbers go in and out in all their digits, as
 * Lua's `tostring` would round them. The answer is one text that begins with a letter, since some clients turn what looks
 * like a number into one:
 * - `T now blockedUntil|state|…` taken, `S …` seen only: a state for each policy, in order, empty for none
 * - `X now` a calendar's span does not hold the server's instant: nothing was done
 * - `C field` the field holds what cannot be read: nothing was done
 *
 * Most of its time goes where Lua meets text, and Redis. So a state keeps the text of the numbers that stay, the expiry is
 * told as an instant, which Redis need not turn into one, and `text + 0` is the number, for a fifth of `tonumber`'s price.
 */
export const script = `
local key, operation, amount = KEYS[1], ARGV[1], ARGV[3] + 0
local format, match, floor, ceil, min, max = string.format, string.match, math.floor, math.ceil, math.min, math.max
local time = redis.call('TIME')
local serverText = format('%s%03d', time[1], floor(time[2] / 1000))
local nowText = ARGV[2] == '' and serverText or ARGV[2]
local now = nowText + 0

if operation == 'delete' then
  redis.call('DEL', key)
  return 'S ' .. nowText .. ' 0'
end

-- A rule's numbers are a and b: a bucket's ticksPerMs and ticksPerCost, a window's start and end, a sliding one's windowMs.
local policies = {}
for i = 4, #ARGV, operation == 'giveBack' and 6 or 5 do
  local kind, a, b = ARGV[i + 1], ARGV[i + 3] + 0, ARGV[i + 4] + 0
  if kind == 'c' then
    kind = 'w'
    if now < a or now >= b then return 'X ' .. nowText end
  elseif kind == 'w' then
    local start = floor(now / a) * a
    a, b = start, start + a
  end
  policies[#policies + 1] = { name = ARGV[i], kind = kind, limit = ARGV[i + 2] + 0, a = a, b = b, taken = ARGV[i + 5] }
end

-- The state that a text stands for. A take raises its level alone: a bucket's TAT, or what is used of a window. The text
-- before the level and after it stays as it is.
local function parse(text)
  local kind = string.sub(text, 1, 1)
  if kind == 'b' then
    local tat, after, since, given, rate, perCost = match(text, '^b (%-?%d+)( (%-?%d+) (%d+) ([1-9]%d*) ([1-9]%d*))$')
    return tat and {
      kind = kind, text = text, level = tat + 0, after = after,
      since = since + 0, given = given + 0, rate = rate + 0, perCost = perCost + 0,
    }
  elseif kind == 'w' then
    local before, first, last, used = match(text, '^(w (%-?%d+) (%-?%d+) )(%d+)$')
    return used and { kind = kind, text = text, level = used + 0, before = before, start = first + 0, stop = last + 0 }
  elseif kind == 's' then
    local before, first, window, used, after, previous = match(text, '^(s (%-?%d+) (%d+) )(%d+)( (%d+))$')
    return used and {
      kind = kind, text = text, level = used + 0, before = before, after = after,
      start = first + 0, window = window + 0, previous = previous + 0,
    }
  end
end

local states, blockedUntil, blockedText = {}, 0, '0'
local fields = redis.call('HGETALL', key)
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == '${blockField}' then
    if not match(value, '^%-?%d+$') then return 'C ' .. name end
    blockedUntil, blockedText = value + 0, value
  else
    local state = parse(value)
    if not state then return 'C ' .. name end
    states[name] = state
  end
end

local function isFromAhead(stored)
  return stored and stored.kind == 'b' and stored.since > now + ${maxClockSkewMs}
end

local function bucket(tat, since, given, policy)
  return parse(format('b %.0f %.0f %.0f %.0f %.0f', tat, since, given, policy.a, policy.b))
end

local function sliding(start, window, used, previous)
  return parse(format('s %.0f %.0f %.0f %.0f', start, window, used, previous))
end

local function current(policy)
  local kind, a, b, stored = policy.kind, policy.a, policy.b, states[policy.name]
  local isKind = stored and stored.kind == kind
  if kind == 'b' then
    local owed = 0
    if isFromAhead(stored) then
      owed = policy.limit * b
    elseif isKind and stored.rate == a and stored.perCost == b then
      if stored.level >= now * a then return stored end
    elseif isKind then
      local debt = max(0, stored.level - now * stored.rate)
      local whole = floor(debt / stored.perCost)
      local rest = debt - whole * stored.perCost
      owed = whole * b + ceil(rest * b / stored.perCost)
    end
    return bucket(now * a + owed, now, 0, policy)
  elseif kind == 'w' then
    local isSame = isKind and stored.start == a and stored.stop == b
    if isSame or isKind and stored.start == b then return stored end
    return parse(format('w %.0f %.0f 0', a, b))
  end
  local start, previous = floor(now / a) * a, 0
  if isKind and stored.window == a then
    if stored.start == start or stored.start == start + a then return stored end
    if stored.start == start - a then previous = stored.level end
  end
  return sliding(start, a, 0, previous)
end

local function remaining(policy, state)
  local kind = policy.kind
  if kind == 'b' then return floor((now * policy.a + policy.limit * policy.b - state.level) / policy.b) end
  if kind == 'w' then return policy.limit - state.level end
  local weighed = floor(state.previous * min(state.window, state.start + state.window - now) / state.window)
  return policy.limit - state.level - weighed
end

-- Field, value, field, value, …: what is to be written.
local changes = {}
local function put(policy, state, level)
  state.level = level
  state.text = (state.before or 'b ') .. format('%.0f', level) .. (state.after or '')
  states[policy.name] = state
  changes[#changes + 1] = policy.name
  changes[#changes + 1] = state.text
end

local function raise(policy, state)
  put(policy, state, state.level + amount * (policy.kind == 'b' and policy.b or 1))
end

local letter = 'S'
if operation == 'take' then
  local currents, fits, isWrong = {}, blockedUntil <= now, false
  for i, policy in ipairs(policies) do
    local state = current(policy)
    currents[i] = state
    fits = fits and amount <= remaining(policy, state)
    isWrong = isWrong or isFromAhead(states[policy.name])
  end
  if fits then
    letter = 'T'
    -- A cost of 0 only looks.
    if amount > 0 then
      for i, policy in ipairs(policies) do raise(policy, currents[i]) end
    end
  elseif isWrong then
    -- The one refusal that writes: a bucket that a wrong clock began fills from now on.
    for i, policy in ipairs(policies) do put(policy, currents[i], currents[i].level) end
  end
elseif operation == 'charge' then
  for _, policy in ipairs(policies) do raise(policy, current(policy)) end
elseif operation == 'giveBack' and next(states) then
  local function giveBack(policy, state, taken)
    if taken.kind ~= state.kind then return end
    if state.kind == 'b' then
      if taken.since ~= state.since or taken.rate ~= policy.a or taken.perCost ~= policy.b then return end
      local last = taken.level - (state.given - taken.given)
      local back = min(amount * policy.b, max(0, last - now * policy.a))
      if back == 0 then return end
      local given = state.level == last and state.given or state.given + back
      local after = bucket(max(now * policy.a, state.level - back), state.since, given, policy)
      put(policy, after, after.level)
    elseif state.kind == 'w' then
      local isSame = taken.start == state.start and taken.stop == state.stop
      if isSame and state.level >= amount then put(policy, state, state.level - amount) end
    elseif taken.window == state.window then
      if taken.start == state.start and state.level >= amount then
        put(policy, state, state.level - amount)
      elseif taken.start == state.start - state.window and state.previous >= amount then
        local after = sliding(state.start, state.window, state.level, state.previous - amount)
        put(policy, after, after.level)
      end
    end
  end
  for _, policy in ipairs(policies) do
    local taken = parse(policy.taken)
    if taken then giveBack(policy, current(policy), taken) end
  end
elseif operation == 'block' then
  blockedUntil = amount > 0 and min(${endlessMs}, now + amount) or 0
  blockedText = format('%.0f', blockedUntil)
  if amount > 0 then
    changes = { '${blockField}', blockedText }
  else
    redis.call('HDEL', key, '${blockField}')
  end
end

if #changes > 0 then redis.call('HSET', key, unpack(changes)) end

-- Every write sets the expiry anew: the last instant at which anything in the key matters, whatever the rule.
if #changes > 0 or operation == 'block' then
  local last = blockedUntil
  for _, state in pairs(states) do
    if state.kind == 'b' then
      last = max(last, ceil(state.level / state.rate))
    elseif state.kind == 'w' then
      last = max(last, state.stop)
    else
      last = max(last, state.start + (state.level > 0 and 2 or 1) * state.window)
    end
  end
  local left = max(1, last - now)
  if ARGV[2] ~= '' then left = max(left, ${keepWithClockMs}) end
  if last >= ${endlessMs} then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIREAT', key, format('%.0f', serverText + left))
  end
end

local told = letter .. ' ' .. nowText .. ' ' .. blockedText
for _, policy in ipairs(policies) do
  local state = states[policy.name]
  told = told .. '|' .. (state and state.text or '')
end
return told
`;

/** The name by which Redis knows the script: its SHA-1, in hex. */
export const scriptSha1: string = createHash('sha1').update(script).digest('hex');

// Logins with a static key: logins per second, their CPU time, and the share of signature verification.
// CPU time does not depend on the load of the machine. Logins per second do.
import { readFileSync } from 'node:fs'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { compactVerify, SignJWT } from 'jose'

const ROUNDS = 4000

/** Returns the CPU time of a process in µs, with the kernel's resolution of 10 ms. */
const processorTime = pid => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Returns the CPU time in µs of one verification of the token by jose. */
const verification = async (token, key, algorithm) => {
  for (let i = 0; i < 500; i++) await compactVerify(token, key, { algorithms: [algorithm] })
  const before = process.cpuUsage()
  for (let i = 0; i < ROUNDS; i++) await compactVerify(token, key, { algorithms: [algorithm] })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / ROUNDS
}

const keys = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519')
}

const login = async (base, token, name, connections, seconds) => {
  const until = performance.now() + seconds * 1000
  let count = 0
  const worker = async () => {
    while (performance.now() < until) {
      const answer = await fetch(`${base}/v1/acl/login`, {
        method: 'POST',
        body: JSON.stringify({ AuthMethod: name, BearerToken: token })
      })
      if (answer.status !== 200) throw new Error(`login: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
      count++
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  return { count, rate: count / ((performance.now() - start) / 1000) }
}

export const scenario = {
  name: 'login-jwt',
  measure: async function* ({ start, seconds }) {
    const { base, root, pid } = await start()
    const put = async (path, body) => {
      const answer = await fetch(base + path, {
        method: 'PUT',
        headers: { 'x-service-token': root },
        body: JSON.stringify(body)
      })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    }
    yield 'login-jwt: logins with a static key; the client shares the cores with the server'
    for (const [algorithm, make] of Object.entries(keys)) {
      const { privateKey, publicKey } = make()
      const pem = publicKey.export({ type: 'spki', format: 'pem' })
      await put('/v1/acl/auth-method', {
        Name: algorithm,
        Type: 'jwt',
        MaxTokenTTL: '1m',
        Config: { JWTValidationPubKeys: [pem], ClaimMappings: { team: 'team' } }
      })
      await put('/v1/acl/binding-rule', {
        AuthMethod: algorithm,
        BindType: 'service',
        BindName: 'web-${value.team}',
        Selector: 'value.team matches "^[a-z]+$"'
      })
      const token = await new SignJWT({ team: 'shop' })
        .setProtectedHeader({ alg: algorithm })
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey)
      const micros = await verification(token, createPublicKey(pem), algorithm)
      await login(base, token, algorithm, 16, 0.5)
      const before = processorTime(pid)
      const { rate, count } = await login(base, token, algorithm, 16, seconds)
      const each = (processorTime(pid) - before) / count
      yield `  ${algorithm}: ${Math.round(rate)} logins/s, ${each.toFixed(0)} µs of processor time each, of which the signature takes ${micros.toFixed(0)} µs (${((100 * micros) / each).toFixed(0)} %)`
    }
  }
}

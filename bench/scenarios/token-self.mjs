// Tokens that read themselves: the first request of every client.
const TOKENS = 1000

export const scenario = {
  name: 'token-self',
  targets: { 1: 0.85, 64: 0.8 },
  distinct: TOKENS,
  prepare: async ({ createTokens }) => ({
    secrets: (await createTokens(TOKENS)).map(({ SecretID }) => SecretID)
  }),
  request: (i, { secrets }) => ({ method: 'GET', path: '/v1/acl/token/self', token: secrets[i] })
}

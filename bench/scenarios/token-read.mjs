// Reading tokens by accessor with the management token.
const TOKENS = 1000

export const scenario = {
  name: 'token-read',
  targets: { 1: 0.85, 64: 0.8 },
  distinct: TOKENS,
  prepare: async ({ root, createTokens }) => ({
    root,
    paths: (await createTokens(TOKENS)).map(({ AccessorID }) => `/v1/acl/token/${AccessorID}`)
  }),
  request: (i, { root, paths }) => ({ method: 'GET', path: paths[i], token: root })
}

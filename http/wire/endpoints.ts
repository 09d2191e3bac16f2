import type { Access, Route } from './route.js'

const INTRODUCTION = `# Endpoints

This page lists the endpoints with their permissions and options. The pages under "API by resource" have parameters, bodies and examples. \`GET /v1/openapi.json\` has all of it as OpenAPI.

\`\`\`text
curl -H "X-Service-Token: $TOKEN" 'localhost:8500/v1/kv/web/?keys&limit=100'
\`\`\`

- **Permission**: in the words of the [rules](rules.md). A denial names the same, and \`POST /v1/acl/explain\` gives the reason. "any token" accepts a valid token or none. "not looked at" ignores the token.
- **Blocking**: \`index\` and \`wait\` are accepted.
- **Consistency**: the accepted modes. \`all\` means \`stale\`, \`consistent\` and the default.
- **Caching**: the effect of \`cached\`.
- **Pages**: \`limit\` and \`after\` are accepted ([lists in pages](#lists-in-pages)).

A parameter \`*name\` is the rest of the path. Its slashes may be sent as they are or as \`%2F\`.

\`dc\` names the datacenter that answers. It has no effect on \`/v1/agent/\`, which concerns the asked server. Policies, roles, global tokens, configuration entries and intentions are always written in the primary datacenter. Local
tokens are written in the asked one.

## Lists in pages

With \`limit=N\` (1 to 999999999) a list has at most N elements. If there are more, the header \`Link\` has the next page (\`<…>; rel="next"\`, RFC 8288), which begins after the element in \`after=\`. The last page has no \`Link\`. Index, blocking queries
and other headers are those of the whole list.

Pages are sorted by what never changes about a resource, such as its ID. A resource that exists during the whole walk appears once, whatever is written meanwhile. One that is created, deleted or renamed may appear or not.

- A page costs what it shows and omits, not the length of the list. Lists by a link or state, intentions, coordinates, names of services, and lists of one node are sorted for each page.
- With \`near\`, \`limit\` returns the nearest elements, and there is no next page.
- For keys, \`after\` may be any key, and \`namespace/key\` with \`ns=*\`.
- \`per_page\` and \`next_token\`, which some clients always send, have no effect.
`

const code = (text: string): string => `\`${text}\``
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('*', '\\*')

const permission = ({ permissions, note, resolvesToken }: Access): string => {
  const needed = permissions.length > 0 ? permissions.map(code).join(', ') : 'any token'
  const words = resolvesToken ? needed : 'not looked at'
  return note === undefined ? words : `${words} (${cell(note)})`
}

const row = ({
  method,
  path,
  access,
  blocking,
  consistency = 'none',
  caching = 'none',
  isPaged
}: Route): string =>
  `| ${[code(`${method} ${path}`), permission(access), blocking ? 'yes' : 'no', consistency, caching, isPaged ? 'yes' : 'no'].join(' | ')} |`

const table = (routes: readonly Route[]): string =>
  [
    '| Endpoint | Permission | Blocking | Consistency | Caching | Pages |',
    '| --- | --- | --- | --- | --- | --- |',
    ...routes.map(row)
  ].join('\n')

export const endpointsPage = (routes: readonly Route[]): string => {
  const byTag = new Map<string, Route[]>()
  for (const route of routes) byTag.set(route.tag, [...(byTag.get(route.tag) ?? []), route])
  const sections = [...byTag].map(([tag, ofTag]) => `## ${tag}\n\n${table(ofTag)}\n`)
  return [INTRODUCTION, ...sections].join('\n')
}

import type { Access, Route } from './route.js'

const INTRODUCTION = `# Endpoints

What each endpoint needs and gives. This page is made from the routes themselves, and a test compares them
(\`ANNALS_TEST_WRITE_DOCS=1 npm test\` regenerates it).

A parameter written \`*name\` is all that is left of the path: a slash in it may be sent as it is or as \`%2F\`.

- **Permission**: in words of the rule language; the text of a 403 names the same, and \`POST /v1/acl/explain\` tells why.
  "any token" asks for a valid token or none; "not looked at" means that even an unknown token does no harm.
- **Blocking**: takes \`index\` and \`wait\`.
- **Consistency**: the modes that are taken: \`all\` is \`stale\`, \`consistent\` and the default.
- **Caching**: what \`cached\` does.
- **Pages**: takes \`limit\` and \`after\` ([lists in pages](#lists-in-pages)).

\`dc\` names the datacenter that answers. It has no effect on the endpoints of \`/v1/agent/\`, which are about the server that is asked, nor on writes of
policies, roles, tokens, configuration entries and intentions: the primary datacenter makes them, whichever is asked, and of a token that is local the one
that is asked.

## Lists in pages

\`limit=N\` has a list answer with N elements at most, from 1 to 999999999. Where there are more, the header \`Link\` has the path of the next page
(\`<…>; rel="next"\`, RFC 8288): \`after=\` in it says behind which element that begins. The last page has no \`Link\`. Index, blocking queries and all other
headers are those of the whole list.

Pages are ordered by what never changes about a resource, such as its ID, so that their order may be another one than that of the whole list. Whatever is there from the
beginning of a walk to its end is shown once, however much is written meanwhile; what comes, ends, or is renamed where names are all that there is, may be shown or
not. A page costs what it shows and what it leaves out, not the length of the list, with few exceptions: lists that are picked by a link or state are sorted for each
page, and so are intentions, coordinates, names of services, and what is on one node. With \`near\`, \`limit\` gives the nearest ones, and there is no next page. Of keys,
\`after\` may be any key, and \`namespace/key\` with \`ns=*\`.

\`per_page\` and \`next_token\`, which some clients send with every request, have no effect.
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

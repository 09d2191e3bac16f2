// Pages for people, which builds of their own make: each lies in a folder as it does in its path.
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import sirv from 'sirv'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { plain, type Answer } from '../wire/answer.js'

/** The folder in which the builds leave the pages. */
export const PAGES_FOLDER = Symbol('folder of pages')

/** Where those of this program are. */
export const BUILT_PAGES = join(import.meta.dirname, '../../pages')

/** Which pages there may be, by the first segment of their paths, with the command that makes them. */
const BUILDS: Readonly<Record<string, string>> = { docs: 'npm run site' }

/** Beside what a page itself says of what it may load: no other page shows it within itself, and nothing is taken for a script. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer'
}

type Serve = (request: IncomingMessage, response: ServerResponse, orElse: () => void) => void

/** What was built before the server started; nobody's rights are asked. */
@scoped(Lifecycle.ContainerScoped)
export class Pages {
  /** Undefined when nothing was built. */
  readonly #serve: Serve | undefined
  readonly #built: ReadonlySet<string>

  constructor(@inject(PAGES_FOLDER) folder: string) {
    this.#built = new Set(Object.keys(BUILDS).filter(name => existsSync(join(folder, name))))
    // It reads now which files there are, and asks the disk for no other.
    if (this.#built.size > 0)
      this.#serve = sirv(folder, {
        etag: true,
        setHeaders: response => {
          for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
        }
      })
  }

  /** The paths of the router below which pages are. */
  get paths(): readonly string[] {
    return Object.keys(BUILDS).flatMap(name => [`/${name}`, `/${name}/*`])
  }

  /** Sends a page, or says by `refuse` that there is none. */
  show(request: IncomingMessage, response: ServerResponse, refuse: (answer: Answer) => void): void {
    const [, name = ''] = /^\/([^/?]*)/.exec(request.url ?? '') ?? []
    if (this.#serve && this.#built.has(name))
      this.#serve(request, response, () => refuse(plain(404, 'Not found: no page has this path')))
    else refuse(plain(404, `Not found: these pages are not built; ${BUILDS[name]} builds them`))
  }
}

// The sources and their imports, for tests of the architecture.
import { sourcesIn } from './sources.js'

/** All sources except the tests. */
export const sources = ['clients', 'events', 'projections', 'actors', 'http', 'server', 'library'].flatMap(
  folder => sourcesIn(folder)
)

/** Selects the files below folders. */
export const within =
  (...folders: readonly string[]) =>
  (path: string): boolean =>
    folders.some(folder => path.startsWith(`${folder}/`))

/** Selects the files of the folders with sources. */
export const isOurs = within('clients', 'events', 'projections', 'actors', 'http', 'server', 'library')

/** Every import of files that `from` selects and whose target `to` selects, as `file -> target`. */
export function imports(
  from: (path: string) => boolean,
  to: (target: string, ours: boolean) => boolean
): string[] {
  return sources
    .filter(({ path }) => from(path))
    .flatMap(source =>
      source.imports
        .filter(({ target, ours }) => to(target, ours))
        .map(({ target }) => `${source.path} -> ${target}`)
    )
}

/** Every file that `from` selects and whose code matches. */
export function uses(from: (path: string) => boolean, pattern: RegExp): string[] {
  return sources
    .filter(({ path }) => from(path))
    .flatMap(
      ({ path, code }) =>
        code
          .match(pattern)
          ?.slice(0, 1)
          .map(found => `${path}: ${found}`) ?? []
    )
}

// A copy of the build in which the definition of policies declares one more field.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { projectRoot, temporaryFolder, type Scope } from './process.js'

/** The description of the field, whose name is `Owner`. */
export const MEANING = 'The team that owns the policy'

const DECLARATION = `Owner: optionalWritable(textType, '${MEANING}'),`
const FOLDERS = ['actors', 'clients', 'events', 'http', 'projections', 'server']

/** Returns the code of the module with the definition of policies, with the field. */
const withField = (code: string): string =>
  code
    .replace(/import \{([^}]*)\} from '.\/definition\/fields.js'/, (line, names: string) =>
      line.replace(names, `${names.trimEnd()}, optionalWritable `)
    )
    .replace('...tenancy,', `${DECLARATION} ...tenancy,`)

/** Returns the main module of the copy. @param hasPages builds the web UI of the copy, too */
export const buildWithField = async (scope: Scope, hasPages = false): Promise<string> => {
  const folder = temporaryFolder(scope)
  mkdirSync(join(folder, 'dist'))
  for (const path of ['package.json', ...FOLDERS.map(name => `dist/${name}`)])
    cpSync(join(projectRoot, path), join(folder, path), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const definition = join(folder, 'dist/events/policy.js')
  writeFileSync(definition, withField(readFileSync(definition, 'utf8')))
  if (hasPages)
    await build({
      configFile: join(projectRoot, 'clients/ui/vite.config.mjs'),
      logLevel: 'warn',
      plugins: [
        {
          name: 'field',
          enforce: 'pre',
          transform: (code, id) => (id.endsWith('/events/policy.ts') ? withField(code) : undefined)
        }
      ],
      build: { outDir: join(folder, 'dist/pages/ui') }
    })
  return join(folder, 'dist/server/main.js')
}

// The source files of the project and their imports.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { projectRoot } from './process.js'

interface Import {
  /** Path from the project's root without extension; for others the name of the package or module. */
  readonly target: string
  readonly ours: boolean
  /** True for type imports. */
  readonly isType: boolean
  /** True for `import('…')`, which loads its target on demand. */
  readonly isDynamic: boolean
}

export interface Source {
  /** Path from the project's root, with `/`. */
  readonly path: string
  /** Without comments. */
  readonly code: string
  readonly lines: number
  /** True when it declares an aggregate or a lifecycle. */
  readonly isAggregate: boolean
  readonly imports: readonly Import[]
}

/** Returns all source files below a folder of the project. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => {
      const path = relative(projectRoot, file).split(sep).join('/')
      const text = readFileSync(file, 'utf8')
      const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      return {
        path,
        code,
        lines: text.trimEnd().split('\n').length,
        isAggregate: /^(export )?const \w+(Aggregate|Lifecycle)(:| =)/m.test(code),
        imports: importsOf(path, code)
      }
    })
}

/** Returns the targets of `import … from`, `export … from`, `import '…'` and `import('…')`. */
function importsOf(path: string, code: string): readonly Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g
  return [...code.matchAll(pattern)].map(([text, names = '', from, bare]) => {
    const name = from ?? bare ?? ''
    const ours = name.startsWith('.')
    const target = ours ? normalize(join(dirname(path), name)).replace(/\.(js|tsx?)$/, '') : name
    return {
      ours,
      target,
      isType: names.trimStart().startsWith('type '),
      isDynamic: /^import\s*\(/.test(text)
    }
  })
}

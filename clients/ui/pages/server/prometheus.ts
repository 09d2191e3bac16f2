// Measures in the text format of Prometheus, as far as the pages need them.

export interface Measure {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
    ])
  )

const numberIn = (text: string): number => (text === '+Inf' ? Infinity : Number(text))

/** @param text of an answer, whose comments mean nothing here */
export const measuresIn = (text: string): readonly Measure[] =>
  text.split('\n').flatMap(line => {
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? []
    return name === undefined ? [] : [{ name, labels: labelsIn(labels), value: numberIn(value) }]
  })

/** The value of what has no labels. */
export const valueOf = (measures: readonly Measure[], name: string): number | undefined =>
  measures.find(measure => measure.name === name)?.value

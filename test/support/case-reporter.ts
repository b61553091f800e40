// A vitest reporter that writes .cache/cases/<unit|e2e>.json: every test of a whole run, its state, and whether it read objects back.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import {
  type RunError,
  type RunKind,
  type RunResults,
  type TestResult,
  type TestState,
  resultsFile,
} from '../../scripts/cases/results.ts';

interface CaseReporterOptions {
  readonly kind: RunKind;
  /** the folder above .cache; default: the project's */
  readonly root?: string;
}

/**
 * A run of some files or some names writes nothing: it would look as if all other tests were gone.
 * Neither does a run that was interrupted.
 */
export function caseReporter({ kind, root }: CaseReporterOptions): Reporter {
  let vitest: Vitest;
  let isWhole = false;
  return {
    onInit(started) {
      vitest = started;
    },
    async onTestRunStart(specifications) {
      const all = await vitest.globTestSpecifications();
      isWhole = specifications.length === all.length && namesAreUnfiltered(vitest);
    },
    onTestRunEnd(modules, unhandled, reason) {
      if (!isWhole || reason === 'interrupted') return;
      const home = root ?? vitest.config.root;
      const loose = unhandled.map((error) => ({ file: '', message: error.message }));
      write(home, {
        kind,
        finishedAt: new Date().toISOString(),
        tests: modules.flatMap((module) => testsOf(module, vitest.config.root)),
        errors: [...modules.flatMap((module) => errorsOf(module, vitest.config.root)), ...loose],
      });
    },
  };
}

function namesAreUnfiltered(vitest: Vitest): boolean {
  return vitest.getGlobalTestNamePattern() === undefined && (vitest.config.tagsFilter ?? []).length === 0;
}

function testsOf(module: TestModule, root: string): readonly TestResult[] {
  return [...module.children.allTests()].map((test) => ({
    titles: titlesOf(test),
    file: relative(root, module.moduleId),
    state: stateOf(test),
    readBack: test.meta().readBack === true,
  }));
}

function titlesOf(test: TestCase): readonly string[] {
  const titles = [test.name];
  for (let above = test.parent; above.type === 'suite'; above = above.parent) titles.unshift(above.name);
  return titles;
}

/** A test that never came to an end did not pass. */
function stateOf(test: TestCase): TestState {
  const { state } = test.result();
  return state === 'pending' ? 'failed' : state;
}

function errorsOf(module: TestModule, root: string): readonly RunError[] {
  const file = relative(root, module.moduleId);
  const suites = [...module.children.allSuites()];
  return [module, ...suites].flatMap((suite) =>
    suite.errors().map((error) => ({ file, message: error.message })),
  );
}

function write(root: string, results: RunResults): void {
  const file = resultsFile(root, results.kind);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
}

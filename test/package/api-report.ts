import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { manifest, packageFolder } from './limiter-core.ts';

/** The folder of the committed reports, one for each published subpath. */
export const reportFolder = join(packageFolder, 'api');

/** One comparison of a subpath's built types with its committed report. */
export interface ApiReport {
  readonly isChanged: boolean;
  /** The types that the API names, and that the entry does not export. */
  readonly forgotten: readonly string[];
}

/** The file of a subpath's report: `index.api.md`, `bulk.api.md`, `bulk-dynamodb.api.md`. */
export function reportName(subpath: string): string {
  return `${subpath === '.' ? 'index' : subpath.slice('./'.length).replaceAll('/', '-')}.api.md`;
}

/**
 * Compares the types that the build has made of a subpath with the committed report.
 *
 * @param mode `compare` changes nothing; `renew` writes the report
 */
export function reportApi(subpath: string, mode: 'compare' | 'renew', workFolder: string): ApiReport {
  const types = manifest.publishConfig.exports[subpath]?.types;
  if (types === undefined) throw new Error(`${subpath} is not published`);
  mkdirSync(reportFolder, { recursive: true });
  const level = { logLevel: ExtractorLogLevel.None };
  const extractorConfig = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: join(packageFolder, types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            target: 'es2023',
            lib: ['es2023'],
            types: ['node'],
            strict: true,
            skipLibCheck: true,
          },
          include: ['dist'],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder,
        reportTempFolder: workFolder,
        reportFileName: reportName(subpath).slice(0, -'.api.md'.length),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: level },
        tsdocMessageReporting: { default: level },
        extractorMessageReporting: {
          default: level,
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.Warning },
        },
      },
    },
  });
  const forgotten: string[] = [];
  const { apiReportChanged } = Extractor.invoke(extractorConfig, {
    localBuild: mode === 'renew',
    messageCallback: (message) => {
      message.handled = true;
      if (message.messageId !== 'ae-forgotten-export') return;
      const [, symbol = message.text] = /The symbol "(\w+)"/.exec(message.text) ?? [];
      forgotten.push(symbol);
    },
  });
  return { isChanged: apiReportChanged, forgotten };
}

"""The manifests of tools/kubernetes: valid for several versions, consistent with each other, and with the daemon."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import tomllib
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import postgres
from slurm_cluster import free_ports, wait_for

try:
    import kubernetes_validate
    import yaml
except ImportError as error:
    MISSING = error.name
else:
    MISSING = ""
needs_packages = unittest.skipIf(MISSING, f"no {MISSING}: pip install -r tests/cluster/starters/requirements.txt")

ROOT = Path(__file__).resolve().parents[3]
MANIFESTS = ROOT / "tools" / "kubernetes"
BIN = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")).resolve()
VERSIONS = ("1.31", "1.34", "1.37")
# kustomize reads its own file; the cluster does not.
FOR_KUSTOMIZE = "kustomization.yaml"


def objects(name: str) -> list[dict]:
    """Returns the objects of a manifest."""
    return list(yaml.safe_load_all((MANIFESTS / name).read_text()))


def all_objects() -> list[dict]:
    return [x for path in sorted(MANIFESTS.rglob("*.yaml")) if path.name != FOR_KUSTOMIZE
            for x in objects(str(path.relative_to(MANIFESTS)))]


def one(kind: str, name: str = "") -> dict:
    """Returns the only object of a kind, or the one of a name."""
    (found,) = [x for x in all_objects() if x["kind"] == kind and name in ("", x["metadata"]["name"])]
    return found


def pods() -> dict[str, dict]:
    """The pods' specifications by the kind of what makes them."""
    return {kind: one(kind)["spec"]["template"]["spec"] for kind in ("Deployment", "StatefulSet")}


@needs_packages
class Schema(unittest.TestCase):
    def test_every_object_is_valid(self) -> None:
        for version in VERSIONS:
            for each in all_objects():
                with self.subTest(version=version, kind=each["kind"], name=each["metadata"]["name"]):
                    kubernetes_validate.validate(each, version, strict=True)

    def test_a_wrong_key_is_found(self) -> None:
        wrong = one("Deployment")
        wrong["spec"]["template"]["spec"]["terminationGraceSeconds"] = 600
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


@needs_packages
class Manifests(unittest.TestCase):
    def test_the_kustomization_lists_every_manifest_without_secrets(self) -> None:
        listed = objects(FOR_KUSTOMIZE)[0]["resources"]
        there = {p.name for p in MANIFESTS.glob("*.yaml")} - {FOR_KUSTOMIZE, "secret.yaml"}
        self.assertEqual(set(listed), there)
        self.assertEqual(objects(f"init/{FOR_KUSTOMIZE}")[0]["resources"], ["job.yaml"])
        self.assertEqual(objects(f"init/{FOR_KUSTOMIZE}")[0]["images"], objects(FOR_KUSTOMIZE)[0]["images"])

    def test_everything_is_in_the_namespace(self) -> None:
        for each in all_objects():
            if each["kind"] != "Namespace":
                self.assertEqual(each["metadata"]["namespace"], "kevolve", each["kind"])

    def test_secrets_have_no_values(self) -> None:
        for secret in objects("secret.yaml"):
            self.assertEqual(set(secret["stringData"].values()), {""})
            self.assertNotIn("data", secret)

    def test_volumes_that_pods_mount_exist(self) -> None:
        keys = {(x["kind"], x["metadata"]["name"]): x.get("data", x.get("stringData")) for x in all_objects()}
        for kind, pod in pods().items():
            mounted = {m["name"] for m in pod["containers"][0]["volumeMounts"]}
            volumes = {v["name"] for v in pod["volumes"]}
            claims = {c["metadata"]["name"] for c in one(kind)["spec"].get("volumeClaimTemplates", [])}
            self.assertEqual(mounted, volumes | claims)
            for volume in pod["volumes"]:
                if "secret" in volume:
                    self.assertIn(("Secret", volume["secret"]["secretName"]), keys)
                for item in volume.get("configMap", {}).get("items", []):
                    self.assertIn(item["key"], keys["ConfigMap", volume["configMap"]["name"]])

    def test_settings_name_files_that_are_mounted(self) -> None:
        secrets = {s["metadata"]["name"]: set(s["stringData"]) for s in objects("secret.yaml")}
        for kind, name in (("Deployment", "worker.toml"), ("StatefulSet", "home.toml")):
            pod = pods()[kind]
            places = {m["name"]: m["mountPath"] for m in pod["containers"][0]["volumeMounts"]}
            files = {f"{places[v['name']]}/{key}" for v in pod["volumes"] if "secret" in v
                     for key in secrets[v["secret"]["secretName"]]}
            named = set(re.findall(r"/etc/kevolve/[\w./-]+", one("ConfigMap")["data"][name]))
            self.assertEqual(named, files)
            self.assertEqual(pod["containers"][0]["args"][0], f"{places['settings']}/{name}")

    def test_selectors_select_their_pods(self) -> None:
        labels = {kind: one(kind)["spec"]["template"]["metadata"]["labels"] for kind in pods()}
        for kind in pods():
            self.assertEqual(one(kind)["spec"]["selector"]["matchLabels"], labels[kind])
        self.assertEqual(one("Service")["spec"]["selector"], labels["StatefulSet"])
        self.assertEqual(one("Service")["metadata"]["name"], one("StatefulSet")["spec"]["serviceName"])
        homes = one("NetworkPolicy", "homes")["spec"]["podSelector"]["matchLabels"]
        self.assertEqual(homes, labels["StatefulSet"])
        for each in labels.values():
            everyone = one("NetworkPolicy", "names-and-database")["spec"]["podSelector"]["matchLabels"]
            self.assertLessEqual(everyone.items(), each.items())

    def test_pods_have_no_privilege_and_time_to_drain(self) -> None:
        for pod in pods().values():
            self.assertGreaterEqual(pod["terminationGracePeriodSeconds"], 600)
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertFalse(pod["automountServiceAccountToken"])
            self.assertEqual(pod["containers"][0]["securityContext"], {
                "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})

    def test_the_job_makes_the_schema_of_the_nodes_and_has_no_privilege(self) -> None:
        job = one("Job")
        pod = job["spec"]["template"]["spec"]
        self.assertEqual(pod["restartPolicy"], "Never")
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertFalse(pod["automountServiceAccountToken"])
        self.assertEqual(pod["containers"][0]["securityContext"], pods()["Deployment"]["containers"][0]["securityContext"])
        everyone = one("NetworkPolicy", "names-and-database")["spec"]["podSelector"]["matchLabels"]
        self.assertLessEqual(everyone.items(), job["spec"]["template"]["metadata"]["labels"].items())
        args = pod["containers"][0]["args"]
        settings = tomllib.loads(one("ConfigMap")["data"]["home.toml"])["cluster"]
        self.assertEqual(args[args.index("--deployment") + 1], settings["deployment"])
        self.assertEqual(args[args.index("--postgres") + 1], settings["postgres"].replace("kevolve_home_1", "kevolve_owner"))
        (volume,) = pod["volumes"]
        mount = pod["containers"][0]["volumeMounts"][0]["mountPath"]
        secret = one("Secret", volume["secret"]["secretName"])
        self.assertEqual(set(re.findall(r"/etc/kevolve/[\w./-]+", " ".join(args))), {f"{mount}/{key}" for key in secret["stringData"]})

    def test_workers_differ_from_homes_in_role_and_state(self) -> None:
        settings = {name: tomllib.loads(text) for name, text in one("ConfigMap")["data"].items()}
        self.assertEqual({name: s["cluster"]["role"] for name, s in settings.items()},
                         {"worker.toml": "worker", "home.toml": "home"})
        self.assertEqual([v["name"] for v in pods()["Deployment"]["volumes"] if v["name"] == "state"], ["state"])


class Sandbox(unittest.TestCase):
    """The seccomp profile that the pods name."""

    def level(self, profile: Path) -> str:
        """Returns the layers of the sandbox that doctor finds under a profile, as an ordinary user."""
        said = subprocess.run([sys.executable, "-B", str(Path(__file__).parent / "run_filtered.py"), str(profile), str(BIN / "kevolve"),
                               "doctor", "--target", "cpu", "--json"], capture_output=True, text=True, check=False, cwd="/")
        self.assertEqual(said.returncode, 0, said.stderr)
        (row,) = [r for r in json.loads(said.stdout)["targets"]["cpu"] if r["item"] == "sandbox"]
        return row["detail"]

    def test_the_profile_lets_the_judge_confine_candidates(self) -> None:
        if not Path("/proc/sys/user/max_user_namespaces").read_text().strip("0\n"):
            self.skipTest("this machine has no user namespaces")
        layers = set(self.level(MANIFESTS / "seccomp.json").split("+"))
        self.assertLessEqual({"seccomp", "rlimits", "userns", "netns", "ipcns", "utsns", "mntns", "pidns"}, layers)

    def test_without_unshare_the_judge_has_no_namespaces(self) -> None:
        profile = json.loads((MANIFESTS / "seccomp.json").read_text())
        profile["syscalls"][0]["names"].remove("unshare")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(profile, file)
            file.flush()
            os.chmod(file.name, 0o644)
            self.assertNotIn("ns", self.level(Path(file.name)))

    def test_the_profile_is_the_filter_of_the_unit(self) -> None:
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        version = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True).stdout
        if not version.startswith("systemd 252 "):
            self.skipTest(f"{version.split(' (')[0]} has other sets of system calls than systemd 252")
        made = subprocess.run([sys.executable, "-B", str(ROOT / "tools" / "lib" / "seccomp_profile.py")], capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(made, (MANIFESTS / "seccomp.json").read_text(),
                         "python3 tools/lib/seccomp_profile.py > tools/kubernetes/seccomp.json")


@needs_packages
@unittest.skipIf(not postgres.programs(), "no PostgreSQL: apt-get install postgresql")
class Pods(unittest.TestCase):
    """The daemons of pods with the manifests' settings and arguments, beside a PostgreSQL; probes as the kubelet sends them."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-pods-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = postgres.Postgres()
        self.addCleanup(self.database.stop)
        wait_for(self.database.ready)
        self.database.ask("create role kevolve_owner superuser login")
        self.assertIn("has version", self.initialise())
        for role in ("worker", "home"):
            self.database.ask(f"create role kevolve_{role}_1 login in role kevolve_{role}")

    def initialise(self) -> str:
        """Runs the job's command; what it prints."""
        (self.folder / "password").write_text("unused\n")
        (self.folder / "ca.crt").write_text("")
        container = one("Job")["spec"]["template"]["spec"]["containers"][0]
        words = [word.replace("host=postgres.database.svc dbname=kevolve", f"host={self.database.data} dbname=postgres")
                 .replace("/etc/kevolve/database/", f"{self.folder}/") for word in container["args"]]
        (program,) = container["command"]
        done = subprocess.run([str(BIN / program), *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def daemon(self, kind: str, role: str) -> tuple[dict, int]:
        """Starts the daemon of a pod; its container, and the port of its admin."""
        folder = self.folder / role
        for name in ("tls", "database"):
            (folder / name).mkdir(parents=True)
        (folder / "database" / "password").write_text("unused\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2", "-keyout",
                        str(folder / "tls" / "tls.key"), "-out", str(folder / "tls" / "tls.crt")], check=True, capture_output=True)
        shutil.copy(folder / "tls" / "tls.crt", folder / "database" / "ca.crt")
        container = pods()[kind]["containers"][0]
        (port,) = free_ports(1)
        text = one("ConfigMap")["data"][f"{role}.toml"].replace("host=postgres.database.svc dbname=kevolve",
                                                                f"host={self.database.data} dbname=postgres")
        text = text.replace("/etc/kevolve/", f"{folder}/").replace("/var/lib/kevolve/", f"{folder}/").replace(":7700", f":{port}")
        (folder / "settings.toml").write_text(text)
        more = [word.replace("$(POD_NAME)", "kevolve-home-0") for word in container["args"][1:]]
        more += ["--set", f"cluster.node=kevolve-{role}-0"]  # both run on one host here
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([str(BIN / "kevolved"), str(folder / "settings.toml"), *more], stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

        def listens() -> bool:
            self.assertIsNone(process.poll(), (folder / "log").read_text())
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0

        wait_for(listens)
        return container, port

    def joined(self, role: str) -> bool:
        """Returns true if the daemon is a live node of the cluster."""
        return self.database.ask(f"select count(*) from kevolve.nodes where role = '{role}' and left_at is null") == "1"

    def get(self, probe: dict, port: int, host: str) -> int:
        """Returns the status of a request as the kubelet sends it: without verifying the certificate."""
        get = probe["httpGet"]
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        url = f"{get['scheme'].lower()}://127.0.0.1:{port}{get['path']}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers={"Host": host}), context=context, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_the_job_may_run_again(self) -> None:
        self.assertIn("is there already", self.initialise())

    def test_homes_join_and_answer_probes(self) -> None:
        container, port = self.daemon("StatefulSet", "home")
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            with self.subTest(probe):
                (header,) = container[probe]["httpGet"]["httpHeaders"]
                self.assertEqual(header["value"], "localhost:7700")
                wait_for(lambda: self.get(container[probe], port, f"localhost:{port}") == 200)
        wait_for(lambda: self.joined("home"))
        # Clients name the pod by the service; other names are refused.
        for name, status in ((".kevolve-home.kevolve.svc", 200), (".elsewhere.svc", 403)):
            self.assertEqual(self.get(container["livenessProbe"], port, f"kevolve-home-0{name}:{port}"), status)

    def test_workers_join_and_answer_probes(self) -> None:
        container, port = self.daemon("Deployment", "worker")
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            with self.subTest(probe):
                program, path = container[probe]["exec"]["command"]
                self.assertEqual(program, "/usr/local/libexec/kevolve/ask-health")
                ask = [str(ROOT / "tools" / "container" / "ask-health"), path, str(port)]
                wait_for(lambda: subprocess.run(ask, check=False, capture_output=True).returncode == 0)
        wait_for(lambda: self.joined("worker"))
        wrong = subprocess.run([ask[0], "/nowhere", str(port)], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stderr.startswith("ask-health: /nowhere: 40")), (1, True), wrong.stderr)


if __name__ == "__main__":
    unittest.main()

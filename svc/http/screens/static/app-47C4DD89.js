const boot = JSON.parse(document.getElementById("boot").textContent);
const line = document.createElement("p");
line.textContent = boot.session ? `Signed in as ${boot.session.person.name}` : "Not signed in";
document.getElementById("app").append(line);
